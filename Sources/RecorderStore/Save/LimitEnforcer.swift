import RecorderConcurrency

/// In the background, discards records beyond the limits that a save left in the store, and keeps its file small, one transaction
/// at a time.
final class LimitEnforcer: Sendable {
    private struct State {
        /// The limits to enforce; nil if nothing is being discarded.
        var limits: DiskLimits?
        /// Kept until then.
        var kept: (any AnyObject & Sendable)?
        /// Called at the end.
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())
    /// Weak, so that this does not keep a released store alive.
    private weak let store: RecordStore?
    private let keeping: @Sendable () -> (any AnyObject & Sendable)?
    private let discarded: @Sendable ([Discard]) -> Void

    /// What `keeping` returns stays alive while limits are enforced. `discarded` is called after each transaction, on the write
    /// queue.
    init(
        _ store: RecordStore,
        keeping: @escaping @Sendable () -> (any AnyObject & Sendable)?,
        discarded: @escaping @Sendable ([Discard]) -> Void
    ) {
        self.store = store
        self.keeping = keeping
        self.discarded = discarded
    }

    /// Enforces these limits until nothing is beyond them.
    func start(_ limits: DiskLimits) {
        let kept = keeping()
        let isIdle = state.withLock { state in
            defer { (state.limits, state.kept) = (limits, kept) }
            return state.limits == nil
        }
        if isIdle { continueLater() }
    }

    /// Calls `done` when nothing is being discarded.
    func whenDone(_ done: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.limits != nil { state.waiters.append(done) }
            return state.limits == nil
        }
        if isIdle { done() }
    }

    private func continueLater() {
        SystemTime.after(RecordStore.pauseBetweenTransactions) { [weak self] in
            guard let self else { return }
            guard let store else { return end() }
            store.executor.enqueue(on: .write) { self.step(store) }
        }
    }

    private func step(_ store: RecordStore) {
        guard let limits = state.withLock({ $0.limits }) else { return }
        // If the store cannot be used, the next save fails too, and a later one starts this again.
        let receipt = try? store.enforce(limits)
        if let receipt, !receipt.discards.isEmpty { discarded(receipt.discards) }
        guard let receipt, !receipt.isIncomplete else { return receipt == nil ? end() : continueLater() }
        if (try? store.compact()) == true { continueLater() } else { end() }
    }

    private func end() {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        for waiter in ended.waiters { waiter() }
    }
}
