import LineRecords
import RecorderConcurrency
import RecorderStore

/// Counts the records of one `save` that were stored and that failed, and reports discarded ones.
final class SaveTally: Sendable {
    private struct State {
        var saved = 0
        var failed = 0
        var failure: RecorderError?
        var firstFailed: InputPosition?
    }

    private let state = Locked(State())
    private let discards: DiscardLog
    let deliveries = DeliveryTally()
    private let console: Console

    init(_ console: Console) {
        self.console = console
        discards = DiscardLog(console)
    }

    var saved: Int { state.withLock { $0.saved } }
    var failed: Int { state.withLock { $0.failed } }
    /// The error of the first save that failed.
    var failure: RecorderError? { state.withLock { $0.failure } }

    /// Where the first record that was not saved begins.
    var firstFailed: InputPosition? { state.withLock { $0.firstFailed } }

    /// Counts the result of saving records together, the first of which is at `position`.
    func count(_ result: Result<Void, RecorderError>, of records: Int, at position: InputPosition) {
        state.withLock { state in
            switch result {
            case .success: state.saved += records
            case .failure(let error):
                state.failed += records
                state.failure = state.failure ?? error
                state.firstFailed = min(state.firstFailed ?? position, position)
            }
        }
    }

    func handle(_ event: RecorderEvent) {
        discards.handle(event)
        deliveries.handle(event)
    }

    /// Reports the discards that have not been reported yet.
    func finish() {
        discards.finish()
    }
}
