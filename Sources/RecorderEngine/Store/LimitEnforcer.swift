import Dispatch
import RecorderConcurrency

/// Discards in the background what a save found to be over the limits and left, a transaction at a time.
final class LimitEnforcer: Sendable {
    private struct State {
        /// What to enforce; nil where nothing is under way.
        var limits: DiskLimits?
        /// Called at the end.
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())
    /// Weak, so that a store that was released does not live on for this.
    private weak let store: RecordStore?
    private let discarded: @Sendable ([Discard]) -> Void

    /// Between two transactions, for other processes to take the lock.
    static let pause = Duration.milliseconds(20)

    /// `discarded` is told what each transaction discarded, in the writer's lane.
    init(_ store: RecordStore, discarded: @escaping @Sendable ([Discard]) -> Void) {
        self.store = store
        self.discarded = discarded
    }

    /// Enforces these limits until nothing is over them.
    func start(_ limits: DiskLimits) {
        let isIdle = state.withLock { state in
            defer { state.limits = limits }
            return state.limits == nil
        }
        if isIdle { continueLater() }
    }

    /// Calls `done` when nothing is under way.
    func whenDone(_ done: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.limits != nil { state.waiters.append(done) }
            return state.limits == nil
        }
        if isIdle { done() }
    }

    private func continueLater() {
        let pause = DispatchTimeInterval.milliseconds(Int(Self.pause / .milliseconds(1)))
        DispatchQueue.global().asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self else { return }
            guard let store else { return end() }
            store.crew.run(.write) { self.step(store) }
        }
    }

    private func step(_ store: RecordStore) {
        guard let limits = state.withLock({ $0.limits }) else { return }
        // Where the store cannot be used, the next save finds that out as well, and begins again.
        let receipt = try? store.enforce(limits)
        if let receipt, !receipt.discards.isEmpty { discarded(receipt.discards) }
        if receipt?.isCutShort == true { continueLater() } else { end() }
    }

    private func end() {
        let waiters = state.withLock { state in
            defer { state = State() }
            return state.waiters
        }
        for waiter in waiters { waiter() }
    }
}
