import RecorderAWS

/// Sends one stream's records in order, batch by batch, until none is left or the stream must be left.
///
/// While a request is on its way the next batch is read, and while its answer is settled the next request is on its way.
/// With more than one request at a time the order of records is no longer that of their saves; they are settled in
/// order all the same, so that a settle is a move of the stream's cursor.
struct StreamFlush {
    private struct Request {
        let batch: Batch
        let task: Task<BatchSender.Sent, Never>

        /// Cancelling the flush cancels the request.
        func sent() async -> BatchSender.Sent {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    private let source: BatchSource
    private let crew: StoreExecutor
    private let sender: BatchSender
    private let requestsAtOnce: Int
    private var delivery: BatchDelivery
    private var pace = StreamRateLimiter()

    init(
        _ queue: StreamSummary,
        before end: Int64,
        _ store: RecordStore,
        _ sender: BatchSender,
        _ policy: RecorderPolicy,
        report: @escaping @Sendable (RecorderEvent) -> Void
    ) {
        crew = store.crew
        self.sender = sender
        requestsAtOnce = max(policy.requestsPerStream, 1)
        source = BatchSource(queue, before: end, store, sender, policy)
        delivery = BatchDelivery(queue.name, store, sender, policy, report: report)
    }

    mutating func run() async -> FlushReport {
        var requests: [Request] = []
        do throws(RecorderError) {
            try await sendAll(&requests)
            try await delivery.settleLoneSuspect()
        } catch {
            delivery.note(error)
        }
        // The stream was left; what is still on its way counts for what its answer proves.
        for request in requests { await delivery.settleOnly(request.batch, await request.sent().answer) }
        return delivery.report
    }

    private mutating func sendAll(_ requests: inout [Request]) async throws(RecorderError) {
        var source = source
        var ahead = try await source.next()
        while true {
            while requests.count < requestsAtOnce, let batch = ahead {
                requests.append(start(batch))
                ahead = try await source.next()
            }
            guard !requests.isEmpty else { return }
            try await finish(requests.removeFirst(), &requests, &ahead)
            if ahead == nil { ahead = try await source.next() }
        }
    }

    private mutating func finish(
        _ request: Request,
        _ requests: inout [Request],
        _ ahead: inout Batch?
    ) async throws(RecorderError) {
        let sent = await request.sent()
        // Records that must be sent again go before those behind them.
        if sent.answer.isDelivered, let batch = ahead {
            requests.append(start(batch))
            ahead = nil
        }
        try await delivery.finish(request.batch, sent, &pace)
        sender.buffers.giveBack(request.batch)
    }

    private mutating func start(_ batch: Batch) -> Request {
        let wait = pace.wait(before: batch.records.count, at: .now)
        return Request(
            batch: batch,
            task: .immediate(executorPreference: crew) { [sender] in await sender.send(batch, after: wait) }
        )
    }
}

/// The batches of one stream, one after the other.
private struct BatchSource {
    private let queue: StreamSummary
    private let end: Int64
    private let store: RecordStore
    private let planner: BatchPlanner
    private let sender: BatchSender
    private var mark: RecordID?
    private var batchesLeft: Int

    init(
        _ queue: StreamSummary,
        before end: Int64,
        _ store: RecordStore,
        _ sender: BatchSender,
        _ policy: RecorderPolicy
    ) {
        self.queue = queue
        self.end = end
        self.store = store
        planner = BatchPlanner(sender.service, batchByteLimit: policy.batchByteLimit)
        self.sender = sender
        batchesLeft = policy.batchesPerStream ?? .max
    }

    /// The next batch; each record is met once.
    mutating func next() async throws(RecorderError) -> Batch? {
        guard batchesLeft > 0 else { return nil }
        if mark != nil { MallocTrim.giveBack(after: queue.batchBytes(limit: planner.maximumBytes)) }
        var batch = try await store.nextBatch(
            of: queue,
            after: mark,
            before: end,
            planner,
            sender.service,
            sender.buffers
        )
        // Mostly while the request before it is on its way.
        if !sender.compresses { batch?.digest() }
        mark = batch?.records.last?.id
        batchesLeft = batch == nil ? 0 : batchesLeft - 1
        return batch
    }
}
