/// A piece of asynchronous work that any thread can cancel, even before it has started.
package final class CancellableRun: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Work that is given to ``start(_:)`` later.
    package init() {}

    /// Starts the work; call it once.
    package func start(on executor: any TaskExecutor, _ work: @escaping @Sendable () async -> Void) {
        let task = Task(executorPreference: executor) { await work() }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the work's task, now or as soon as it starts.
    package func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
