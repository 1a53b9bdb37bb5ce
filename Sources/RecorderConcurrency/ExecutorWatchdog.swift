import Dispatch

/// Checks executors in which work waits behind a callback, or for a thread. One thread serves all executors of the process.
///
/// It is a thread of its own, not a dispatch queue, because the application may have blocked all threads of dispatch. It
/// exists while an executor has a thread, and for a few seconds after that: so whatever waits for a further thread, which the
/// system may not give at once, gets it as soon as there is one.
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

    /// Starts the thread unless it runs. Called before an executor starts a thread, which is counted already.
    func start(_ timeout: Duration) throws(ThreadShortage) {
        let isRunning = state.withLock { state in
            if !state.isRunning {
                state.isRunning = (try? startThread(named: "recorder-watch", timeout: timeout) { self.run() }) != nil
            }
            return state.isRunning
        }
        guard isRunning else { throw ThreadShortage() }
    }

    /// Checks the executor after a delay, and again for as long as work waits.
    func watch(_ executor: StoreExecutor, after delay: Duration) {
        state.withLock { $0.watched.append((executor, .now + delay)) }
        wake.signal()
    }

    /// Called when no executor has a thread any more.
    func lastThreadEnded() { wake.signal() }

    private func run() {
        var end = ContinuousClock.now + Self.idleTimeout
        while let check = nextCheck(orEndAt: end) {
            for executor in check.due {
                if let delay = executor.checkWaitingWork() { keep(executor, after: delay) }
            }
            guard check.due.isEmpty else { continue }
            if let next = check.next {
                _ = wake.wait(timeout: .now() + (next - .now) / .seconds(1))
            } else {
                wake.wait()
                end = .now + Self.idleTimeout
            }
        }
    }

    private func keep(_ executor: StoreExecutor, after delay: Duration) {
        state.withLock { $0.watched.append((executor, .now + delay)) }
    }

    /// The executors to check now and the time of the next check, if one is due. Returns nil, and notes that the thread ends, if no
    /// executor had a thread until `end`.
    private func nextCheck(
        orEndAt end: ContinuousClock.Instant
    ) -> (due: [StoreExecutor], next: ContinuousClock.Instant?)? {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard let next = state.watched.map(\.due).min() else {
                if StoreExecutor.hasThreads { return ([], nil) }
                state.isRunning = now < end
                return state.isRunning ? ([], end) : nil
            }
            let due = state.watched.filter { $0.due <= now }.map(\.executor)
            state.watched.removeAll { $0.due <= now }
            return (due, next)
        }
    }
}
