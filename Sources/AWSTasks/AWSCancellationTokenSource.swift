public import Foundation

/// Creates a ``token`` and cancels the work that observes it.
///
/// Safe to use from any thread.
public final class AWSCancellationTokenSource: NSObject, Sendable {
    /// The token to pass to cancellable work.
    public let token = AWSCancellationToken()

    /// A source that has not requested cancellation.
    public override init() {}

    /// True once cancellation was requested. Traps after ``dispose()``.
    public var isCancellationRequested: Bool { token.isCancellationRequested }

    /// Requests cancellation. Calls the token's observers, once each, on this thread, before it returns.
    ///
    /// A second call has no effect. Traps after ``dispose()``.
    public func cancel() {
        token.cancel()
    }

    /// Requests cancellation after a delay, on a global queue.
    ///
    /// Replaces an earlier schedule. Traps after ``dispose()``.
    ///
    /// - Parameter delay: Milliseconds. 0 cancels now, -1 removes the schedule; smaller values trap.
    public func cancel(afterDelay delay: Int32) {
        guard delay >= -1 else {
            fatalError("cancel(afterDelay: \(delay)): pass 0 or more milliseconds, or -1 to remove the schedule.")
        }
        let schedule = token.reschedule()
        if delay == 0 {
            token.cancel()
        } else if delay > 0 {
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(delay))) { [token] in
                token.cancel(scheduled: schedule)
            }
        }
    }

    /// Disposes of the source: removes the observers and the schedule. From now on, querying or cancelling traps.
    ///
    /// Tasks that were given the token keep its last state. A second call has no effect.
    public func dispose() {
        token.dispose()
    }
}
