/// How a store's completions and events reach the application: in order, one at a time, never while a lock is held.
///
/// Callbacks never run on a thread that a commit waits for, so that a slow one delays later callbacks only. One that
/// blocks while others wait is left to its thread after 0.1 s, and another thread goes on with the others: callbacks may
/// wait for each other, and for anything else that they do with their store.
struct CallbackQueue: Sendable {
    let crew: StoreExecutor

    func deliver(_ callback: @escaping @Sendable () -> Void) {
        crew.call(CallbackRun(callback))
    }

    /// The same for several, in order.
    func deliver(_ callbacks: [@Sendable () -> Void]) {
        if !callbacks.isEmpty { crew.call(CallbackRun(callbacks)) }
    }

    /// The same for several that are called by index.
    func deliver(_ callbacks: CallbackRun) {
        crew.call(callbacks)
    }

    /// The same from a job of the crew, whose thread goes on with it.
    func deliverNext(_ callback: @escaping @Sendable () -> Void) {
        crew.callNext(CallbackRun(callback))
    }

    /// The same for several, in order.
    func deliverNext(_ callbacks: CallbackRun) {
        crew.callNext(callbacks)
    }
}
