import RecorderAWS
import RecorderConcurrency

/// Flushes all streams, several at a time. One stream's failure does not affect the others, with three exceptions:
///
/// - If a stream could not connect or has no valid credentials, or two got no answer in time, no further stream is started until
///   another one gets an answer: reading a batch of each would be most of what an attempt costs while offline. The streams that
///   were not started fail with the same error. The next flush begins with one stream.
/// - Under `.countsAttempts`, a failure without an answer starts no further stream.
/// - If an answer cannot be settled, nothing more is sent.
struct ParallelStreamFlush: Sendable {
    private let context: FlushContext
    private let history: FlushHistory
    private let meter = ProgressMeter()

    init(_ context: FlushContext, history: FlushHistory) {
        self.history = history
        let meter = meter
        self.context = FlushContext(
            store: context.store,
            sender: context.sender,
            settles: context.settles,
            policy: context.policy,
            totalsAtStart: context.totalsAtStart,
            emit: { context.emit(meter.adding($0)) }
        )
    }

    /// Returns the report, and the streams whose records stay and that have no failure in it.
    func run(_ streams: [StreamSummary]) async -> (report: FlushReport, untried: [StreamName]) {
        let policy = context.policy
        return await withTaskGroup(of: Finished?.self) { group in
            let unreachable = history.lastUnreachable
            // A stream that got no answer in time comes last: it may be the only one.
            let slow = unreachable.flatMap { $0.error.isTimeout ? $0.stream : nil }
            let streams = streams.filter { $0.name != slow } + streams.filter { $0.name == slow }
            var scheduler = StreamScheduler(streams, policy: policy)
            var total = FlushReport()
            // The host belongs to the account if streams are named by ARNs: another account's may be reachable.
            let shareHost = Set(streams.map(\.name.arn?.account)).count == 1
            var offline: FlushReport.Failure?
            var hasTimedOut = false
            var untried: [StreamName] = []
            // At the first answer all streams may start.
            group.addTask { [meter] in
                await meter.firstAnswer()
                return nil
            }
            start(&scheduler, in: &group, atMost: unreachable == nil ? .max : 1)
            while !scheduler.isIdle, let next = await group.next() {
                if let (stream, finished) = next {
                    scheduler.ended(stream)
                    MallocTrim.run(after: stream.batchBytes(for: policy))
                    total.add(finished)
                    let isStopped = context.settles.failure != nil
                    let countsAttempts = policy.failureRule == .countsAttempts
                    if isStopped || (countsAttempts && !finished.failures.allSatisfy(\.error.isAnswer)) {
                        untried += scheduler.waiting.map(\.name)
                        scheduler.close()
                    }
                    if finished.failures.contains(where: { $0.error.isAnswer && !$0.error.concernsAllStreams }) {
                        meter.noteAnswer()
                    }
                    let failure = finished.failures.first { failure in
                        // One stream may be slow; if two get no answer, it is the host.
                        guard failure.error.isTimeout else { return failure.error.concernsAllStreams }
                        defer { hasTimedOut = true }
                        return hasTimedOut
                    }
                    if shareHost { offline = offline ?? failure }
                }
                if offline == nil || meter.hasAnswer { start(&scheduler, in: &group) }
            }
            meter.endWait()
            history.lastUnreachable = meter.hasAnswer ? nil : offline
            if let offline, !Task.isCancelled {
                total.failures += scheduler.waiting.map { .init(stream: $0.name, error: offline.error) }
                scheduler.close()
            }
            if Task.isCancelled, let left = scheduler.waiting.first {
                total.failures.append(.init(stream: left.name, error: .cancelled))
            }
            if context.settles.failure != nil { untried += total.reportStoreFailureOnce() }
            return (total, untried)
        }
    }

    private typealias Finished = (StreamSummary, FlushReport)

    private func start(
        _ scheduler: inout StreamScheduler,
        in group: inout TaskGroup<Finished?>,
        atMost limit: Int = .max
    ) {
        for _ in 0..<limit {
            guard !Task.isCancelled, let stream = scheduler.next() else { return }
            group.addTask {
                var flush = StreamFlush(stream, context: context, history: history)
                return (stream, await flush.run())
            }
        }
    }
}

extension FlushReport {
    /// The flush stopped as a whole, whichever stream noticed first. Returns the others.
    fileprivate mutating func reportStoreFailureOnce() -> [StreamName] {
        func isOfStore(_ failure: Failure) -> Bool { if case .storage = failure.error { true } else { false } }
        let others = failures.filter(isOfStore).dropFirst().map(\.stream)
        failures.removeAll { isOfStore($0) && others.contains($0.stream) }
        return others
    }

    mutating func add(_ other: FlushReport) {
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
    private let wait = AsyncStream.makeStream(of: Never.self)

    var hasAnswer: Bool { answered.withLock(\.self) }

    func noteAnswer() {
        answered.withLock { $0 = true }
        endWait()
    }

    /// Returns at the first answer, or when `endWait` is called. To be called once.
    func firstAnswer() async {
        for await _ in wait.stream {}
    }

    func endWait() { wait.continuation.finish() }

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
