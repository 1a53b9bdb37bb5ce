import RecorderConcurrency

/// Saves that belong together in their order: once one has failed, none that was called after it is stored.
///
/// So what is stored of an input is its beginning, whichever commit fails. A save that comes after the failure gets the
/// same error, in its turn.
package final class SaveSequence: Sendable {
    private let state = Locked<RecorderError?>(nil)

    package init() {}

    /// The first failure.
    var failure: RecorderError? { state.withLock { $0 } }

    func fail(_ error: RecorderError) {
        state.withLock { $0 = $0 ?? error }
    }
}
