import Dispatch
import Glibc
import RecorderConcurrency
import RecorderEngine

/// Flushes of one store that end within ten seconds of the first signal, whatever the server does.
///
/// Requests under way get some time for an answer, so that records are not sent twice. After that they are cancelled, as is
/// a wait for credentials or for another process's submit. Records without an answer stay stored.
final class StoppableFlush: Sendable {
    private let pipeline: RecordPipeline
    private let ticket = Locked<FlushTicket?>(nil)

    /// How long to wait for answers after a signal. Services answer within seconds.
    private static let grace = Duration.seconds(8)
    /// How long a cancelled flush may take to end. One that waits for a lock of the store is abandoned, which is safe: a
    /// store survives the end of the process at any instant.
    private static let ending = Duration.seconds(1)

    init(_ pipeline: RecordPipeline, stop: StopSignal) {
        self.pipeline = pipeline
        stop.whenStopped {
            stop.run(after: Self.grace) {
                pipeline.cancelFlush()
                stop.run(after: Self.ending) { self.abandon() }
            }
        }
    }

    /// Sends the records stored before the call.
    func run() async -> FlushOutcome {
        await withCheckedContinuation { continuation in
            begin { continuation.resume(returning: $0) }
        }
    }

    /// The same on a thread that may block.
    func runBlocking() -> FlushOutcome {
        let done = DispatchSemaphore(value: 0)
        let result = Locked<FlushOutcome?>(nil)
        begin { outcome in
            result.withLock { $0 = outcome }
            done.signal()
        }
        done.wait()
        guard let outcome = result.withLock({ $0 }) else { preconditionFailure("a flush ended without an outcome") }
        return outcome
    }

    private func begin(_ completion: @escaping @Sendable (FlushOutcome) -> Void) {
        let flush = pipeline.flush { completion(FlushOutcome($0)) }
        ticket.withLock { $0 = flush }
    }

    private func abandon() {
        if let flush = ticket.withLock({ $0 }) { pipeline.withdraw(flush) }
    }
}

/// The result of one flush, as the command line reports it.
struct FlushOutcome: Sendable {
    var delivered = 0
    /// The entries of requests in which these were delivered.
    var entries = 0
    /// One line for each stream that was not sent completely, or one for the whole flush.
    var errors: [String] = []
    /// nil if everything was sent, or a signal ended the flush.
    var status: ExitStatus?
    /// Whether a signal ended it.
    var isStopped = false
    /// Whether the store says of each stream that was left why.
    var hasStreamErrors = false

    /// What to say after earlier errors; nil if there are errors still, or if that is unknown, because a signal ended it.
    var recovery: String? {
        guard errors.isEmpty, !isStopped else { return nil }
        return delivered > 0 ? "sending works again." : FlushOutcome.nothingLeft
    }

    /// Somebody else has sent or removed the records.
    static let nothingLeft = "nothing is left to send."

    init(_ result: Result<FlushReport, RecorderError>) {
        switch result {
        case .success(let report):
            delivered = report.delivered
            entries = report.entries
            // A stream that stopped because of a signal has no error.
            let failures = report.failures.filter { !$0.error.isCancellation }
            isStopped = failures.count < report.failures.count
            hasStreamErrors = !failures.isEmpty
            errors = failures.map { "\($0.stream): \($0.error.sentence)" }
            status = failures.first.map { ExitStatus($0.error) }
        case .failure(let error) where error.isCancellation: isStopped = true
        case .failure(let error):
            errors = [error.sentence]
            status = ExitStatus(error)
        }
    }
}
