import RecorderConcurrency

/// Calls for a flush again and again while it runs.
///
/// Pausing ends the wait, and lets a flush under way come to its end; stopping cancels that too, for good.
package final class FlushTimer: Sendable {
    private struct State {
        var wait: Task<Void, Never>?
        var flush: Task<Void, Never>?
        var isStopped = false
    }

    private let interval: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Locked(State())

    /// A timer that does nothing yet; tests wait in another way than by `sleep`.
    package init(
        every interval: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.interval = interval
        self.sleep = sleep
    }

    /// Starts the wait, anew if it runs: the next flush comes one interval from now. A flush under way goes on.
    package func start(_ flush: @escaping @Sendable () async -> Void) {
        let earlier: Task<Void, Never>? = state.withLock { state in
            guard !state.isStopped else { return nil }
            let earlier = state.wait
            state.wait = Task { [weak self, interval, sleep] in
                while (try? await sleep(interval)) != nil {
                    await self?.run(flush)?.value
                }
            }
            return earlier
        }
        earlier?.cancel()
    }

    package func pause() {
        let wait = state.withLock { state in
            defer { state.wait = nil }
            return state.wait
        }
        wait?.cancel()
    }

    package func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            return [state.wait, state.flush]
        }
        for task in tasks { task?.cancel() }
    }

    /// In a task of its own, which the end of the wait does not cancel; the one under way, if there is one.
    private func run(_ flush: @escaping @Sendable () async -> Void) -> Task<Void, Never>? {
        state.withLock { state in
            // Paused or stopped at the last moment.
            guard !state.isStopped, !Task.isCancelled else { return nil }
            if let running = state.flush { return running }
            let task = Task { [weak self] in
                await flush()
                self?.state.withLock { $0.flush = nil }
            }
            state.flush = task
            return task
        }
    }
}
