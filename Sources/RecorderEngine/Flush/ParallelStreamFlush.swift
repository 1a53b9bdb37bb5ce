import RecorderAWS
import RecorderConcurrency

/// Flushes all streams, several at a time. One stream's failure does not affect the others, with two exceptions:
///
/// - If a stream could not connect, no further stream is started until another one gets an answer: reading a batch of each would
///   be most of what an attempt costs while offline. The streams that were not started fail with the same error. The next flush
///   begins with one stream.
/// - Under `.countsAttempts`, a failure without an answer starts no further stream.
struct ParallelStreamFlush: Sendable {
    private let context: FlushContext
    private let rates: StreamRates
    private let meter = ProgressMeter()

    init(_ context: FlushContext, rates: StreamRates) {
        self.rates = rates
        let meter = meter
        self.context = FlushContext(
            store: context.store,
            sender: context.sender,
            policy: context.policy,
            totalsAtStart: context.totalsAtStart,
            emit: { context.emit(meter.adding($0)) }
        )
    }

    func run(_ streams: [StreamSummary]) async -> FlushReport {
        let policy = context.policy
        return await withTaskGroup(of: Finished?.self) { group in
            var scheduler = StreamScheduler(streams, policy: policy)
            var isProbing = rates.wasUnreachable
            start(&scheduler, in: &group, atMost: isProbing ? 1 : .max)
            var awaitsAnswer = isProbing
            if isProbing { awaitAnswer(in: &group) }
            var total = FlushReport()
            // The host belongs to the account if streams are named by ARNs: another account's may be reachable.
            let shareHost = Set(streams.map(\.name.arn?.account)).count == 1
            var offline: RecorderError?
            while let next = await group.next() {
                if let (stream, finished) = next {
                    isProbing = false
                    scheduler.ended(stream)
                    MallocTrim.run(after: stream.batchBytes(for: policy))
                    total.add(finished)
                    if policy.failureRule == .countsAttempts, !finished.failures.allSatisfy(\.error.isAnswer) {
                        scheduler.close()
                    }
                    if finished.failures.contains(where: \.error.isAnswer) { meter.noteAnswer() }
                    if shareHost, offline == nil,
                        let failure = finished.failures.first(where: \.error.isConnectionFailure)
                    {
                        offline = failure.error
                        // A stream that is being flushed may still be answered.
                        if !awaitsAnswer { awaitAnswer(in: &group) }
                        awaitsAnswer = true
                    }
                }
                if (offline == nil && !isProbing) || meter.hasAnswer { start(&scheduler, in: &group) }
                if scheduler.isIdle { meter.end() }
            }
            rates.wasUnreachable = offline != nil && !meter.hasAnswer
            if let offline, !Task.isCancelled {
                total.failures += scheduler.waiting.map { .init(stream: $0.name, error: offline) }
                scheduler.close()
            }
            if Task.isCancelled, let left = scheduler.waiting.first {
                total.failures.append(.init(stream: left.name, error: .cancelled))
            }
            return total
        }
    }

    private typealias Finished = (StreamSummary, FlushReport)

    /// Adds a task that ends with the first answer, or when no stream is being flushed.
    private func awaitAnswer(in group: inout TaskGroup<Finished?>) {
        group.addTask { [meter] in
            await meter.answerOrEnd()
            return nil
        }
    }

    private func start(
        _ scheduler: inout StreamScheduler,
        in group: inout TaskGroup<Finished?>,
        atMost limit: Int = .max
    ) {
        for _ in 0..<limit {
            guard !Task.isCancelled, let stream = scheduler.next() else { return }
            group.addTask {
                var flush = StreamFlush(stream, context: context, rates: rates)
                return (stream, await flush.run())
            }
        }
    }
}

extension FlushReport {
    fileprivate mutating func add(_ other: FlushReport) {
        delivered += other.delivered
        entries += other.entries
        discarded += other.discarded
        failures += other.failures
    }
}

/// Adds up the progress of all streams since the flush began, and knows whether the service has answered.
private final class ProgressMeter: Sendable {
    private let sum = Locked(FlushProgress())
    private let start = ContinuousClock.now
    private let answered = Locked(false)
    /// Ends with the first answer, or with the flush.
    private let waiting = AsyncStream.makeStream(of: Never.self)

    var hasAnswer: Bool { answered.withLock(\.self) }

    func noteAnswer() {
        answered.withLock { $0 = true }
        end()
    }

    /// Ends the wait for an answer.
    func end() { waiting.continuation.finish() }

    func answerOrEnd() async {
        for await _ in waiting.stream {}
    }

    func adding(_ event: RecorderEvent) -> RecorderEvent {
        if case .answered = event, !hasAnswer { noteAnswer() }
        guard case .settled(let step) = event else { return event }
        return .settled(
            sum.withLock { sum in
                sum.delivered += step.delivered
                sum.entries += step.entries
                sum.bytes += step.bytes
                sum.recordsLeft = step.recordsLeft
                sum.bytesLeft = step.bytesLeft
                sum.elapsed = ContinuousClock.now - start
                return sum
            }
        )
    }
}
