import Foundation
import RecorderConcurrency

/// Looks after stores in which work waits behind a callback, or for a thread; one thread for all stores of the process.
///
/// A thread of its own, not a dispatch queue: the application may have blocked all of those that dispatch has. It is there
/// only while something waits, and some seconds beyond.
final class StoreWatchdog: Sendable {
    static let shared = StoreWatchdog()

    private struct State {
        var watched: [(crew: StoreExecutor, due: ContinuousClock.Instant)] = []
        var isRunning = false
    }

    private let state = Locked(State())
    private let wake = DispatchSemaphore(value: 0)

    /// How long the thread stays without anything to watch.
    private static let idleTimeout = Duration.seconds(5)

    /// Has the crew look at what waits, after a while, and again for as long as something does.
    func watch(_ crew: StoreExecutor, after delay: Duration) {
        let starts = state.withLock { state in
            state.watched.append((crew, .now + delay))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts else {
            wake.signal()
            return
        }
        Thread.detachNewThread {
            nameCurrentThread("recorder-watch")
            self.run()
        }
    }

    private func run() {
        var end = ContinuousClock.now + Self.idleTimeout
        while let round = nextRound(orEndAt: end) {
            for crew in round.due {
                if let delay = crew.lookAtWaitingWork() { keep(crew, after: delay) }
            }
            if round.due.isEmpty {
                _ = wake.wait(timeout: .now() + ContinuousClock.now.duration(to: round.next) / .seconds(1))
            } else {
                end = .now + Self.idleTimeout
            }
        }
    }

    private func keep(_ crew: StoreExecutor, after delay: Duration) {
        state.withLock { $0.watched.append((crew, .now + delay)) }
    }

    /// What is due now, and when to look next; nil, and noted, if nothing has been watched until `end`.
    private func nextRound(
        orEndAt end: ContinuousClock.Instant
    ) -> (due: [StoreExecutor], next: ContinuousClock.Instant)? {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard let next = state.watched.map(\.due).min() else {
                state.isRunning = now < end
                return state.isRunning ? ([], end) : nil
            }
            let due = state.watched.filter { $0.due <= now }.map(\.crew)
            state.watched.removeAll { $0.due <= now }
            return (due, next)
        }
    }
}
