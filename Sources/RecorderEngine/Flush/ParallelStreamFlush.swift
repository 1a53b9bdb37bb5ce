import RecorderConcurrency

/// Flushes all streams, several at a time. One stream's failure does not affect the others, except under `.countsAttempts`: then
/// a failure without an answer starts no further stream.
struct ParallelStreamFlush: Sendable {
    private let context: FlushContext
    private let rates: StreamRates

    init(_ context: FlushContext, rates: StreamRates) {
        self.rates = rates
        let meter = ProgressMeter()
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
        return await withTaskGroup(of: Finished.self) { group in
            var scheduler = StreamScheduler(streams, policy: policy)
            start(&scheduler, in: &group)
            var total = FlushReport()
            while let (stream, finished) = await group.next() {
                scheduler.ended(stream)
                MallocTrim.run(after: stream.batchBytes(for: policy))
                total.delivered += finished.delivered
                total.entries += finished.entries
                total.discarded += finished.discarded
                total.failures += finished.failures
                if policy.failureRule == .countsAttempts, !finished.failures.allSatisfy(\.error.isAnswer) {
                    scheduler.close()
                }
                start(&scheduler, in: &group)
            }
            if Task.isCancelled, let left = scheduler.firstWaiting {
                total.failures.append(.init(stream: left.name, error: .cancelled))
            }
            return total
        }
    }

    private typealias Finished = (StreamSummary, FlushReport)

    private func start(_ scheduler: inout StreamScheduler, in group: inout TaskGroup<Finished>) {
        while !Task.isCancelled, let stream = scheduler.next() {
            group.addTask {
                var flush = StreamFlush(stream, context: context, rates: rates)
                return (stream, await flush.run())
            }
        }
    }
}

/// Adds up the progress of all streams since the flush began.
private final class ProgressMeter: Sendable {
    private let sum = Locked(FlushProgress())
    private let start = ContinuousClock.now

    func adding(_ event: RecorderEvent) -> RecorderEvent {
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
