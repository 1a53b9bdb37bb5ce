import Synchronization

/// Delivers a store's completions and events to the application: in order, one at a time, never while a lock is held.
///
/// Callbacks never run on a thread that a commit waits for, so a slow callback delays later callbacks only. If one blocks
/// for 0.1 s while others wait, another thread continues with those: callbacks may wait for each other, and for anything
/// else they do with their store.
package struct CallbackQueue: Sendable {
    private let executor: StoreExecutor

    /// The callback queue of a store.
    package init(_ executor: StoreExecutor) {
        self.executor = executor
    }

    /// Calls one callback after those that were queued before.
    package func deliver(_ callback: @escaping @Sendable () -> Void) {
        executor.enqueue(callbacks: CallbackRun(count: 1) { _ in callback() })
    }

    /// Calls several in order.
    package func deliver(_ callbacks: [@Sendable () -> Void]) {
        if !callbacks.isEmpty { executor.enqueue(callbacks: CallbackRun(callbacks)) }
    }

    /// Calls several in order.
    package func deliver(_ callbacks: CallbackRun) {
        executor.enqueue(callbacks: callbacks)
    }

    /// Calls one from a job of the executor, on the thread of that job when it ends.
    package func deliverNext(_ callback: @escaping @Sendable () -> Void) {
        executor.enqueueNext(callbacks: CallbackRun(count: 1) { _ in callback() })
    }

    /// Calls several from a job of the executor, on the thread of that job when it ends.
    package func deliverNext(_ callbacks: CallbackRun) {
        executor.enqueueNext(callbacks: callbacks)
    }
}

/// Callbacks to be called in order, one at a time, such as the completions of one commit.
///
/// A callback is application code and may block. Another thread can then take over the remaining callbacks: each is called
/// once, by the thread that owns the run at that time.
package final class CallbackRun: Sendable {
    private let count: Int
    private let call: @Sendable (Int) -> Void
    /// The owner's number and the index of the next callback, in one word: a thread that lost the run starts no callback.
    private let state = Atomic<UInt64>(0)

    private static let indexBits: UInt64 = 32
    private static let indexMask: UInt64 = 1 << indexBits - 1

    /// Callbacks that are called by index.
    package init(count: Int, call: @escaping @Sendable (Int) -> Void) {
        self.count = count
        self.call = call
    }

    /// These callbacks.
    package convenience init(_ callbacks: [@Sendable () -> Void]) {
        self.init(count: callbacks.count) { callbacks[$0]() }
    }

    /// The number of the owner that starts now.
    var owner: UInt64 { state.load(ordering: .acquiring) >> Self.indexBits }

    /// How many callbacks have started.
    var started: Int { Int(state.load(ordering: .acquiring) & Self.indexMask) }

    /// Whether some callbacks have not started yet.
    var hasMore: Bool { started < count }

    /// Calls what is left, in order, until all have started or another thread takes over.
    func perform(as owner: UInt64) {
        var seen = state.load(ordering: .acquiring)
        while seen >> Self.indexBits == owner, case let index = Int(seen & Self.indexMask), index < count {
            let claim = state.compareExchange(expected: seen, desired: seen + 1, ordering: .acquiringAndReleasing)
            guard claim.exchanged else { return }
            call(index)
            seen += 1
        }
    }

    /// Takes the run from its owner, which starts no callback after the current one.
    func changeOwner() {
        state.add(1 << Self.indexBits, ordering: .acquiringAndReleasing)
    }
}
