import RecorderConcurrency

/// Runs the stages for every stream, several streams at a time, each apart from the trouble of the others.
struct FlushLoop: Sendable {
    let store: RecordStore
    let sender: BatchSender
    let policy: RecorderPolicy
    let report: @Sendable (RecorderEvent) -> Void

    func run(_ streams: [StreamSummary], before end: Int64) async -> FlushReport {
        let meter = ProgressMeter()
        let report: @Sendable (RecorderEvent) -> Void = { [report] in report(meter.adding($0)) }
        return await withTaskGroup(of: Finished.self) { group in
            var admission = StreamScheduler(streams, policy)
            start(&admission, &group, end, report)
            var total = FlushReport()
            while let (queue, finished) = await group.next() {
                admission.ended(queue)
                MallocTrim.giveBack(after: queue.batchBytes(limit: policy.batchByteLimit))
                total.delivered += finished.delivered
                total.discarded += finished.discarded
                total.failures += finished.failures
                if policy.failureRule == .countsAttempts, !finished.failures.allSatisfy(\.error.isAnswer) {
                    admission.close()
                }
                start(&admission, &group, end, report)
            }
            if Task.isCancelled, let left = admission.left {
                total.failures.append(.init(stream: left.name, error: .cancelled))
            }
            return total
        }
    }

    private typealias Finished = (StreamSummary, FlushReport)

    private func start(
        _ admission: inout StreamScheduler,
        _ group: inout TaskGroup<Finished>,
        _ end: Int64,
        _ report: @escaping @Sendable (RecorderEvent) -> Void
    ) {
        while !Task.isCancelled, let queue = admission.next() {
            group.addTask {
                var flush = StreamFlush(queue, before: end, store, sender, policy, report: report)
                return (queue, await flush.run())
            }
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
