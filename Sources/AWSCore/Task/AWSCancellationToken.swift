public import Foundation
import RecorderConcurrency

/// Tells work that it is no longer wanted. Made by an ``AWSCancellationTokenSource``.
///
/// Safe to use from any thread.
public final class AWSCancellationToken: NSObject, Sendable {
    private struct State {
        var isRequested = false
        var isDisposed = false
        var schedule = 0
        var lastObserver = 0
        var observers: [Int: AWSCancellationTokenRegistration] = [:]
    }

    private let state = Locked(State())

    override init() {}

    /// True once cancellation was requested. Traps if the token's source was disposed of.
    public var isCancellationRequested: Bool {
        state.withLock { state in
            Self.check(state)
            return state.isRequested
        }
    }

    /// Has a block called when cancellation is requested.
    ///
    /// - Parameter block: Called once, on the thread that cancels, after those registered before it and never under a lock.
    ///   Unlike the original, one registered after the cancellation is called at once, before this method returns.
    /// - Returns: What takes the block back. The token keeps the block until then, or until it is called.
    @discardableResult
    public func registerCancellationObserver(_ block: @escaping () -> Void) -> AWSCancellationTokenRegistration {
        let registration = AWSCancellationTokenRegistration(token: self, block: AnyThreadBlock(run: block))
        let isTooLate = state.withLock { state in
            Self.check(state)
            if state.isRequested { return true }
            state.lastObserver += 1
            registration.place(state.lastObserver)
            state.observers[state.lastObserver] = registration
            return false
        }
        if isTooLate { registration.call() }
        return registration
    }

    /// What the token last said, for tasks: they outlive its source.
    var wasCancelled: Bool {
        state.withLock { $0.isRequested }
    }

    /// Requests cancellation and calls the observers in the order of their registration.
    func cancel() {
        let observers = state.withLock { state in
            Self.check(state)
            return Self.request(&state)
        }
        for observer in observers { observer.call() }
    }

    /// Starts a schedule, which ends the one before it, and returns its number.
    func reschedule() -> Int {
        state.withLock { state in
            Self.check(state)
            state.schedule += 1
            return state.schedule
        }
    }

    /// Requests cancellation unless the schedule has been replaced or the source disposed of.
    func cancel(scheduled schedule: Int) {
        let observers = state.withLock { state in
            state.isDisposed || state.schedule != schedule ? [] : Self.request(&state)
        }
        for observer in observers { observer.call() }
    }

    /// Forgets all observers.
    func dispose() {
        let observers = state.withLock { state in
            state.isDisposed = true
            defer { state.observers = [:] }
            return Array(state.observers.values)
        }
        for observer in observers { observer.dispose() }
    }

    /// Forgets one observer.
    func forget(_ observer: Int) {
        _ = state.withLock { $0.observers.removeValue(forKey: observer) }
    }

    private static func request(_ state: inout State) -> [AWSCancellationTokenRegistration] {
        state.isRequested = true
        defer { state.observers = [:] }
        return state.observers.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func check(_ state: State) {
        if state.isDisposed {
            fatalError("AWSCancellationToken was used after its source was disposed of. Dispose of a source last.")
        }
    }
}
