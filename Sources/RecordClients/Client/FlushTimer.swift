import RecorderConcurrency

/// Flushes repeatedly while it is running.
///
/// Pausing ends the wait, but not a flush in progress. Stopping cancels that too, permanently.
package final class FlushTimer: Sendable {
    private struct State {
        var wait: Task<Void, Never>?
        var flush: Task<Void, Never>?
        var isStopped = false
    }

    private let interval: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Locked(State())

    /// A timer that is not running. Tests replace `sleep`.
    package init(
        every interval: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.interval = interval
        self.sleep = sleep
    }

    /// Starts or restarts the wait: the next flush begins one interval from now. A flush in progress continues.
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

    /// Starts a flush in a separate task, which the end of the wait does not cancel. Returns the flush in progress if there
    /// is one.
    private func run(_ flush: @escaping @Sendable () async -> Void) -> Task<Void, Never>? {
        state.withLock { state in
            // Paused or stopped in the meantime.
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
