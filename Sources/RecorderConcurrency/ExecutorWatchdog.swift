import Dispatch

/// Checks executors in which work waits behind a callback, or for a thread. One thread serves all executors of the process.
///
/// It is a thread of its own, not a dispatch queue, because the application may have blocked all threads of dispatch. It
/// exists only while something waits, and for a few seconds after that.
final class ExecutorWatchdog: Sendable {
    static let shared = ExecutorWatchdog()

    private struct State {
        var watched: [(executor: StoreExecutor, due: ContinuousClock.Instant)] = []
        var isRunning = false
    }

    private let state = Locked(State())
    private let wake = DispatchSemaphore(value: 0)

    /// How long the thread stays without anything to watch.
    private static let idleTimeout = Duration.seconds(5)

    /// Checks the executor after a delay, and again for as long as work waits.
    func watch(_ executor: StoreExecutor, after delay: Duration) {
        let starts = state.withLock { state in
            state.watched.append((executor, .now + delay))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts else {
            wake.signal()
            return
        }
        startThread(named: "recorder-watch") { self.run() }
    }

    private func run() {
        var end = ContinuousClock.now + Self.idleTimeout
        while let round = nextRound(orEndAt: end) {
            for executor in round.due {
                if let delay = executor.checkWaitingWork() { keep(executor, after: delay) }
            }
            if round.due.isEmpty {
                _ = wake.wait(timeout: .now() + (round.next - .now) / .seconds(1))
            } else {
                end = .now + Self.idleTimeout
            }
        }
    }

    private func keep(_ executor: StoreExecutor, after delay: Duration) {
        state.withLock { $0.watched.append((executor, .now + delay)) }
    }

    /// The executors to check now and the time of the next check. Returns nil, and notes that the thread ends, if nothing
    /// was watched until `end`.
    private func nextRound(
        orEndAt end: ContinuousClock.Instant
    ) -> (due: [StoreExecutor], next: ContinuousClock.Instant)? {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard let next = state.watched.map(\.due).min() else {
                state.isRunning = now < end
                return state.isRunning ? ([], end) : nil
            }
            let due = state.watched.filter { $0.due <= now }.map(\.executor)
            state.watched.removeAll { $0.due <= now }
            return (due, next)
        }
    }
}
