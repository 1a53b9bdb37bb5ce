public import Foundation
import RecorderConcurrency

/// Signals to running work that its result is no longer needed. Created by an ``AWSCancellationTokenSource``.
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

    /// Registers a block to be called when cancellation is requested.
    ///
    /// - Parameter block: Called once, on the thread that cancels, in the order of registration and without a lock held.
    ///   Unlike in the AWS SDK, a block registered after the cancellation is called at once, before this method returns.
    /// - Returns: A registration that can be disposed of. The token keeps the block until then, or until it is called.
    @discardableResult
    public func registerCancellationObserver(_ block: @escaping () -> Void) -> AWSCancellationTokenRegistration {
        let registration = AWSCancellationTokenRegistration(token: self, block: SendableBlock(run: block))
        let isTooLate = state.withLock { state in
            Self.check(state)
            if state.isRequested { return true }
            state.lastObserver += 1
            registration.setID(state.lastObserver)
            state.observers[state.lastObserver] = registration
            return false
        }
        if isTooLate { registration.call() }
        return registration
    }

    /// The same as `isCancellationRequested` without the trap: tasks may outlive the token's source.
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

    /// Starts a schedule, which replaces the one before, and returns its number.
    func reschedule() -> Int {
        state.withLock { state in
            Self.check(state)
            state.schedule += 1
            return state.schedule
        }
    }

    /// Requests cancellation unless the schedule was replaced or the source disposed of.
    func cancel(scheduled schedule: Int) {
        let observers = state.withLock { state in
            state.isDisposed || state.schedule != schedule ? [] : Self.request(&state)
        }
        for observer in observers { observer.call() }
    }

    /// Removes all observers.
    func dispose() {
        let observers = state.withLock { state in
            state.isDisposed = true
            defer { state.observers = [:] }
            return Array(state.observers.values)
        }
        for observer in observers { observer.dispose() }
    }

    /// Removes one observer.
    func removeObserver(_ id: Int) {
        _ = state.withLock { $0.observers.removeValue(forKey: id) }
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

/// The registration of an observer with an ``AWSCancellationToken``.
///
/// Safe to use from any thread.
public final class AWSCancellationTokenRegistration: NSObject, Sendable {
    private struct State {
        weak var token: AWSCancellationToken?
        var id = 0
        var block: SendableBlock?
    }

    private let state: Locked<State>

    init(token: AWSCancellationToken, block: SendableBlock) {
        state = Locked(State(token: token, block: block))
    }

    /// Removes the observer: unless its block is already being called, it never will be. A second call has no effect.
    public func dispose() {
        let taken = take()
        taken.token?.removeObserver(taken.id)
    }

    /// Sets the number by which the token knows this observer.
    func setID(_ id: Int) {
        state.withLock { $0.id = id }
    }

    /// Calls the block, unless it was called or the registration was disposed of.
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
