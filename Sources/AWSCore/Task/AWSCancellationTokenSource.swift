public import Foundation

/// Requests cancellation of whatever watches its ``token``.
///
/// Safe to use from any thread.
public final class AWSCancellationTokenSource: NSObject, Sendable {
    /// The token to hand to the work that may be cancelled.
    public let token = AWSCancellationToken()

    /// A source that has not requested anything yet.
    public override init() {}

    /// True once cancellation was requested. Traps after ``dispose()``.
    public var isCancellationRequested: Bool { token.isCancellationRequested }

    /// Requests cancellation and calls the token's observers, once, on this thread, before it returns.
    ///
    /// Does nothing the second time. Traps after ``dispose()``.
    public func cancel() {
        token.cancel()
    }

    /// Requests cancellation after a while, on a global queue.
    ///
    /// Replaces what was scheduled before. Traps after ``dispose()``.
    ///
    /// - Parameter delay: Milliseconds; 0 cancels now, -1 calls off what was scheduled, less traps.
    public func cancel(afterDelay delay: Int32) {
        guard delay >= -1 else {
            fatalError("cancel(afterDelay: \(delay)): give 0 or more milliseconds, or -1 to call it off.")
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

    /// Ends the source's use: observers are forgotten, a scheduled cancellation is called off, and asking or cancelling
    /// traps from now on.
    ///
    /// Tasks that were given the token go by what it last said. Does nothing the second time.
    public func dispose() {
        token.dispose()
    }
}
