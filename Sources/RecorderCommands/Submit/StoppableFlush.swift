import RecorderConcurrency
import RecorderEngine

/// The flushes of one store, which end within ten seconds of the first signal, whatever a server does.
///
/// Requests on their way have a while to be answered, so that a stop sends nothing twice. Then they are cancelled, as is a
/// wait for credentials or for another process's submit; records without an answer stay.
final class StoppableFlush: Sendable {
    private let pipeline: RecordPipeline
    private let ticket = Locked<FlushTicket?>(nil)

    /// How long an answer is waited for after a signal: services give theirs within seconds.
    private static let grace = Duration.seconds(8)
    /// How long a cancelled flush may take to end. One that waits for a lock of the store is left behind: a store may be
    /// left at any instant.
    private static let ending = Duration.seconds(1)

    init(_ pipeline: RecordPipeline, _ stop: StopSignal) {
        self.pipeline = pipeline
        stop.whenStopped { Task { await self.end() } }
    }

    /// Sends what is stored now.
    func run() async -> FlushOutcome {
        await withCheckedContinuation { continuation in
            let flush = pipeline.flush { continuation.resume(returning: FlushOutcome($0)) }
            ticket.withLock { $0 = flush }
        }
    }

    private func end() async {
        try? await Task.sleep(for: Self.grace)
        pipeline.cancelFlush()
        try? await Task.sleep(for: Self.ending)
        if let flush = ticket.withLock({ $0 }) { pipeline.withdraw(flush) }
    }
}
