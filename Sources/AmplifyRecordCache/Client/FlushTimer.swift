import RecorderConcurrency

/// Calls for a flush again and again while it runs.
///
/// Pausing ends the wait, and lets a flush under way come to its end; stopping cancels that too, for good.
final class FlushTimer: Sendable {
    private struct State {
        var wait: Task<Void, Never>?
        var flush: Task<Void, Never>?
        var isStopped = false
    }

    private let interval: Duration
    private let state = Locked(State())

    init(every interval: Duration) {
        self.interval = interval
    }

    /// Starts the wait, unless it runs. The first flush comes one interval from now.
    func start(_ flush: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isStopped, state.wait == nil else { return }
            state.wait = Task { [weak self, interval] in
                while (try? await Task.sleep(for: interval)) != nil {
                    await self?.run(flush)?.value
                }
            }
        }
    }

    func pause() {
        let wait = state.withLock { state in
            defer { state.wait = nil }
            return state.wait
        }
        wait?.cancel()
    }

    func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            return [state.wait, state.flush]
        }
        for task in tasks { task?.cancel() }
    }

    /// In a task of its own, which the end of the wait does not cancel.
    private func run(_ flush: @escaping @Sendable () async -> Void) -> Task<Void, Never>? {
        state.withLock { state in
            // Paused or stopped at the last moment.
            guard !state.isStopped, !Task.isCancelled else { return nil }
            let task = Task { await flush() }
            state.flush = task
            return task
        }
    }
}
