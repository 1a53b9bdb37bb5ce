import RecorderConcurrency

/// One run of a flush that several calls may wait for, which any thread can cancel, even before it has begun.
final class FlushRun: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Locked(State())

    func start(_ work: @escaping @Sendable () async -> Void) {
        let task = Task { await work() }
        let isLate = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isLate { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
