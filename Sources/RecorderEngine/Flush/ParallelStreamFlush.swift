import RecorderAWS
import RecorderConcurrency

/// Flushes all streams, several at a time. One stream's failure does not affect the others, with two exceptions:
///
/// - If a stream could not connect and nothing was delivered yet, no further stream is started: reading a batch of each would be
///   most of what an attempt costs while offline. The streams that were not started fail with the same error.
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
        return await withTaskGroup(of: Finished.self) { group in
            var scheduler = StreamScheduler(streams, policy: policy)
            start(&scheduler, in: &group)
            var total = FlushReport()
            // The host belongs to the account if streams are named by ARNs: another account's may be reachable.
            let shareHost = Set(streams.map(\.name.arn?.account)).count == 1
            var offline: RecorderError?
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
                if shareHost { offline = offline ?? finished.failures.first(where: \.error.isConnectionFailure)?.error }
                if offline == nil || meter.hasDelivered { start(&scheduler, in: &group) }
            }
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

    var hasDelivered: Bool { sum.withLock { $0.delivered > 0 } }

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
