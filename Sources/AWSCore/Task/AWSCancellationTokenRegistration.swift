public import Foundation
import RecorderConcurrency

/// An observer's place at an ``AWSCancellationToken``.
///
/// Safe to use from any thread.
public final class AWSCancellationTokenRegistration: NSObject, Sendable {
    private struct State {
        weak var token: AWSCancellationToken?
        var number = 0
        var block: AnyThreadBlock?
    }

    private let state: Locked<State>

    init(token: AWSCancellationToken, block: AnyThreadBlock) {
        state = Locked(State(token: token, block: block))
    }

    /// Takes the observer's block back: unless it is being called, it never will be. Does nothing the second time.
    public func dispose() {
        let taken = take()
        taken.token?.forget(taken.number)
    }

    /// Notes the number under which the token keeps this observer.
    func place(_ number: Int) {
        state.withLock { $0.number = number }
    }

    /// Calls the block unless it was called or taken back.
    func call() {
        take().block?.run()
    }

    private func take() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
