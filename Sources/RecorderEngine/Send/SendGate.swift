import RecorderConcurrency

/// Whether requests may be sent, and how large: their answers must be settled, or the records would be sent again and again.
final class SendGate: Sendable {
    private struct State {
        var failure: RecorderError?
        var room = BatchRoom.any
    }

    private let state = Locked(State())

    /// Why nothing more is sent; nil if requests may be sent.
    var failure: RecorderError? { state.withLock { $0.failure } }

    /// How large batches may be.
    var room: BatchRoom {
        get { state.withLock { $0.room } }
        set { state.withLock { $0.room = newValue } }
    }

    /// Called before each request.
    func check() throws(RecorderError) {
        if let failure { throw failure }
    }

    func open() {
        state.withLock { $0.failure = nil }
    }

    /// Closes it, unless it is closed; returns the reason for which it is.
    func close(_ error: RecorderError) -> RecorderError {
        state.withLock { state in
            let failure = state.failure ?? error
            state.failure = failure
            return failure
        }
    }
}
