import RecorderAWS
import RecorderConcurrency
import RecorderStore

/// Sends one stream's records in order, batch by batch, until none is left or the stream must be left.
///
/// While a request is in flight the next batch is read, and while its answer is settled the next request is in flight. With
/// more than one request at a time, records may not be delivered in the order of their saves. They are settled in order anyway, so
/// that settling only moves the stream's cursor.
struct StreamFlush {
    private struct Request {
        let batch: Batch
        /// Whether the rest of its batch, whose memory it shares, is sent later.
        let hasRest: Bool
        let task: Task<BatchSender.FirstAnswer, Never>

        /// Cancelling the flush cancels the request.
        func answer() async -> BatchSender.FirstAnswer {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    private let context: FlushContext
    private let requestsAtOnce: Int
    private var source: BatchSource
    private var loop: DeliveryLoop
    private let history: FlushHistory
    /// Requests in flight, in order.
    private var requests: [Request] = []
    /// The batch that was read and not sent yet.
    private var nextBatch: Batch?
    /// Batches with records that may be sent once more.
    private var undecided: [FlightRange] = []
    /// Whether a batch is read while one request is in flight. Not during the first: if the service cannot be reached, it would be
    /// read for nothing, and again at each attempt.
    private var readsAhead: Bool

    init(_ stream: StreamSummary, context: FlushContext, history: FlushHistory) {
        self.context = context
        self.history = history
        requestsAtOnce = max(context.policy.requestsPerStream, 1)
        readsAhead = requestsAtOnce > 1
        source = BatchSource(
            stream,
            before: min(context.settles.firstUnsettled(of: stream.name) ?? .max, context.totalsAtStart.nextSequence),
            in: context.store,
            service: context.sender.service,
            policy: context.policy,
            buffers: context.sender.buffers,
            format: { [sender = context.sender] in sender.format },
            mayShare: { await context.mayShare(stream.name) }
        )
        loop = DeliveryLoop(stream.name, context: context, limiter: history.limiter(of: stream.name))
    }

    mutating func run() async -> FlushReport {
        var isLeft = true
        do throws(RecorderError) {
            isLeft = try await !sendAll()
        } catch {
            loop.delivery.reportFailure(error)
        }
        await loop.perform { [isLeft] in $0.finish(isLeft: isLeft) }
        // After an error, requests in flight still count for what their answers prove.
        _ = await settleRequestsInFlight()
        dropNext()
        for range in undecided { end(range) }
        // What holds records back that were not read.
        if let error = context.settles.failure(of: loop.delivery.stream) { loop.delivery.reportFailure(error) }
        history.keep(loop.delivery.limiter, of: loop.delivery.stream, at: context.sender.caller.instant)
        return loop.delivery.report
    }

    /// Whether all was sent that could be read, or the stream must be left.
    private mutating func sendAll() async throws(RecorderError) -> Bool {
        try await readNext()
        while true {
            // Where the service answers before the store settles, no request is under way that a cancellation would end.
            if Task.isCancelled, nextBatch != nil || !requests.isEmpty { throw .cancelled }
            while requests.count < requestsAtOnce, let batch = try await currentBatch(), mayBeSent(batch) {
                send(batch)
                if nextBatch == nil, readsAhead { try await readNext() }
            }
            guard !requests.isEmpty else { return true }
            guard await finish(requests.removeFirst()) else { return false }
            readsAhead = true
            if nextBatch == nil { try await readNext() }
        }
    }

    /// Reads the next batch. Its records are in flight from before they are read.
    private mutating func readNext() async throws(RecorderError) {
        let range = FlightRange(reading: source.nextRange)
        context.store.inFlight.begin(range)
        defer { end(range) }
        nextBatch = try await source.next()
        if let nextBatch { context.store.inFlight.begin(nextBatch.flight) }
    }

    /// The next batch: what was removed since it was read is not sent.
    private mutating func currentBatch() async throws(RecorderError) -> Batch? {
        while let batch = nextBatch {
            if let rest = rest(of: batch) { return rest }
            dropNext()
            try await readNext()
        }
        return nil
    }

    private func rest(of batch: Batch) -> Batch? {
        batch.rest(after: context.store.inFlight.lastRemoved(beside: batch.flight))
    }

    private mutating func dropNext() {
        if let batch = nextBatch { end(batch.flight) }
        nextBatch = nil
    }

    /// Whether more may be sent to the stream.
    private mutating func finish(_ request: Request) async -> Bool {
        let range = request.batch.flight
        defer { if loop.delivery.refused.hasCandidates(of: range.ids) { undecided.append(range) } else { end(range) } }
        let first = await request.answer()
        // If a record must be sent again, it is sent before the next batch, which waits.
        if !Task.isCancelled, first.answer.isDelivered, let batch = nextBatch.flatMap(rest), mayBeSent(batch) {
            send(batch)
        }
        let ending = await loop.deliver(request.batch, first: first)
        if ending == .left { return false }
        if ending == .mustBeSeparated, await !restartWithoutSharing(request.batch) { return false }
        if !request.hasRest { context.sender.buffers.recycle(request.batch) }
        return true
    }

    /// Reports what was discarded of a batch while it was in flight.
    private func end(_ range: FlightRange) {
        for discard in context.store.inFlight.end(range) { context.emit(.discarded(discard)) }
    }

    private func mayBeSent(_ batch: Batch) -> Bool { requests.allSatisfy { batch.mayBeSent(beside: $0.batch) } }

    /// Begins again with the refused batch, whose records get entries of their own, once the answers of requests in flight are
    /// settled. False if one of them cannot be: what it proves would be sent again.
    private mutating func restartWithoutSharing(_ refused: Batch) async -> Bool {
        // A part of a batch that is sent later may have older records.
        let batches = [refused] + requests.map(\.batch) + [nextBatch].compactMap(\.self)
        let first = batches.flatMap(\.records).map(\.id).min()
        guard await settleRequestsInFlight() else { return false }
        dropNext()
        source.restartWithoutSharing(refused, from: first)
        return true
    }

    /// Applies what the answers of requests in flight prove, and sends nothing again. Whether all of them were settled.
    private mutating func settleRequestsInFlight() async -> Bool {
        var areSettled = true
        for request in requests {
            let answer = await request.answer().answer
            if await loop.perform({ $0.answeredLate(request.batch, answer) }) == .left { areSettled = false }
            end(request.batch.flight)
        }
        requests = []
        return areSettled
    }

    /// Sends a batch. Of one that is larger than the stream accepts at once, a part is sent, and the rest is the next batch.
    private mutating func send(_ batch: Batch) {
        let now = context.sender.caller.instant
        let limit = loop.delivery.limiter.largestRequest(at: now, within: context.settles.largestRequest)
        let (first, rest) = limit.map { batch.split(at: $0) } ?? (batch, nil)
        let part = loop.delivery.sending(first)
        nextBatch = rest
        if let rest { context.store.inFlight.begin(rest.flight) }
        let random = context.sender.caller.random()
        let delay = loop.delivery.limiter.delay(before: part.load, at: now, random: random)
        requests.append(
            Request(
                batch: part,
                hasRest: rest != nil,
                task: .immediate(executorPreference: context.store.executor) { [sender = context.sender] in
                    await sender.send(part, after: delay)
                }
            )
        )
    }
}

/// Performs the actions of a `StreamDelivery` in order, and tells it what came of each.
struct DeliveryLoop {
    private let context: FlushContext
    var delivery: StreamDelivery
    /// All requests of a batch share their retries, so that no record is retried more often than a single call would be.
    private var attempts: CallAttempts

    init(_ stream: StreamName, context: FlushContext, limiter: StreamRateLimiter = StreamRateLimiter()) {
        self.context = context
        delivery = StreamDelivery(stream, to: context.sender.service, policy: context.policy, limiter: limiter)
        attempts = context.sender.caller.attempts()
    }

    /// Delivers a batch whose first request was answered.
    mutating func deliver(_ batch: Batch, first: BatchSender.FirstAnswer) async -> StreamDelivery.Ending {
        attempts = first.attempts
        let now = context.sender.caller.instant
        delivery.begin(batch, at: now)
        return await perform { $0.answered(first.answer, at: now) }
    }

    /// Performs an event's actions until the delivery says that it has ended.
    @discardableResult
    mutating func perform(_ event: (inout StreamDelivery) -> [StreamDelivery.Action]) async -> StreamDelivery.Ending {
        let caller = context.sender.caller
        var actions = event(&delivery)[...]
        while let action = actions.popFirst() {
            switch action {
            case .next(let range):
                actions += delivery.next(
                    at: caller.instant,
                    room: context.settles.largestRequest,
                    removed: context.store.inFlight.lastRemoved(beside: range)
                )
            case .send(let part):
                let delay = delivery.delay(before: part, random: caller.random())
                let answer = await context.sender.send(part, after: delay, attempts: &attempts)
                actions += delivery.answered(answer, at: caller.instant)
            case .lookUp:
                let settings = await context.sender.lookups.settings(of: delivery.stream, asking: context.sender)
                actions += delivery.lookedUp(settings?.maximumRecordBytes)
            case .settle(let answer): actions += delivery.settled(await settle(answer))
            case .wait(let reason): actions += delivery.waited(await wait(reason))
            case .refundRetry: caller.refund(&attempts)
            case .restartRetries: attempts = caller.attempts()
            case .log(let text): RecorderLog.error(text)
            case .end(let ending): return ending
            }
        }
        preconditionFailure("a delivery stopped without an end")
    }

    private func settle(_ answer: UnsettledAnswer) async -> Result<SettleReceipt, RecorderError> {
        do throws(RecorderError) {
            let receipt = try await context.settles.settle(answer, in: context.store, since: context.totalsAtStart)
            RecorderLog.verbose(
                "settle: stream \(answer.stream): \(receipt.delivered) delivered, \(answer.settlement.kept.count) failed and "
                    + "kept, \(receipt.discarded) discarded."
            )
            for event in receipt.events(after: answer) { context.emit(event) }
            return .success(receipt)
        } catch {
            return .failure(error)
        }
    }

    private mutating func wait(_ reason: AWSServiceCaller.RetryReason) async -> Result<Duration?, ServiceFailure> {
        do {
            return .success(try await context.sender.caller.waitToRetry(reason, attempts: &attempts))
        } catch {
            return .failure(error)
        }
    }
}

/// What the parts of one flush share.
struct FlushContext: Sendable {
    let store: RecordStore
    let sender: BatchSender
    let settles: SettleGuard
    let policy: RecorderPolicy
    /// The counts when the flush began; records saved since are left to the next flush.
    let totalsAtStart: StoreTotals
    /// Called on the executor's threads.
    let emit: @Sendable (RecorderEvent) -> Void

    /// Whether records may share the entries of a stream's next batch. Asks the service if that, or an order, depends on how it
    /// distributes records, and is not known.
    func mayShare(_ stream: StreamName) async -> Bool {
        let sharesEntries = policy.sharedEntryBytes != nil
        guard sender.service.sendsPartitionKey, sharesEntries || policy.keepsOrder else { return true }
        let purpose = StreamLookups.Purpose(sharesEntries: sharesEntries, isAssumed: policy.assumesDistributionByKey)
        return await sender.lookups.mayShare(stream, for: purpose, asking: sender)
    }

    /// Settles what an earlier flush could not, and makes sure that answers to this one can be settled. Reports what was settled;
    /// what could still not be is reported by the attempts of its stream, which it holds back.
    func settleEarlier() async throws(RecorderError) -> FlushReport {
        var report = FlushReport()
        let unsettled = Dictionary(grouping: settles.takeUnsettled(), by: \.stream)
        for (stream, answers) in unsettled.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            var loop = DeliveryLoop(stream, context: self)
            for answer in answers { await loop.perform { $0.earlier(answer) } }
            report.add(loop.delivery.report)
        }
        report.failures = []
        try await settles.open(store)
        return report
    }
}
