import RecorderConcurrency

/// Runs the stages for every stream, several streams at a time, each apart from the trouble of the others.
struct FlushLoop: Sendable {
    let store: RecordStore
    let sender: BatchSender
    let policy: RecorderPolicy
    let report: @Sendable (RecorderEvent) -> Void

    func run(_ streams: [StreamQueue], before end: Int64) async -> FlushReport {
        let meter = ProgressMeter()
        let report: @Sendable (RecorderEvent) -> Void = { [report] in report(meter.adding($0)) }
        return await withTaskGroup(of: FlushReport.self) { group in
            var waiting = streams[...]
            for _ in 0..<min(max(policy.parallelStreams, 1), streams.count) { start(&waiting, &group, end, report) }
            var total = FlushReport()
            while let finished = await group.next() {
                total.delivered += finished.delivered
                total.discarded += finished.discarded
                total.failures += finished.failures
                if policy.failureRule == .countsAttempts, !finished.failures.allSatisfy(\.error.isAnswer) {
                    waiting = []
                }
                start(&waiting, &group, end, report)
            }
            if Task.isCancelled, let left = waiting.first {
                total.failures.append(.init(stream: left.name, error: .cancelled))
            }
            return total
        }
    }

    private func start(
        _ waiting: inout ArraySlice<StreamQueue>,
        _ group: inout TaskGroup<FlushReport>,
        _ end: Int64,
        _ report: @escaping @Sendable (RecorderEvent) -> Void
    ) {
        guard !Task.isCancelled, let queue = waiting.popFirst() else { return }
        group.addTask {
            var flush = StreamFlush(queue, before: end, store, sender, policy, report: report)
            return await flush.run()
        }
    }
}

/// Adds up the settles of all streams since the flush began.
private final class ProgressMeter: Sendable {
    private let sum = Locked(FlushProgress())
    private let start = ContinuousClock.now

    func adding(_ event: RecorderEvent) -> RecorderEvent {
        guard case .settled(let step) = event else { return event }
        return .settled(
            sum.withLock { sum in
                sum.delivered += step.delivered
                sum.bytes += step.bytes
                sum.recordsLeft = step.recordsLeft
                sum.bytesLeft = step.bytesLeft
                sum.elapsed = ContinuousClock.now - start
                return sum
            }
        )
    }
}
