import RecorderConcurrency
package import RecorderStore

/// Reports records that left the store undelivered: at once, then at most every ten seconds, since there may be many.
package final class DiscardReports: Sendable {
    package typealias Wait = @Sendable (_ duration: Duration, _ action: @escaping @Sendable () -> Void) -> Void

    private static let interval = Duration.seconds(10)

    private struct State {
        var waiting: [Discard] = []
        /// Whether something was reported within the interval; what waits is reported at its end.
        var isPausing = false
        var isReporting = false
    }

    private let state = Locked(State())
    /// Held while `report` runs, so that its last call has ended when `finish` returns.
    private let reporting = Locked(())
    private let wait: Wait
    private let report: @Sendable (Discard) -> Void

    /// - Parameters:
    ///   - wait: Calls a function after a duration, on a thread that may block.
    ///   - report: Called with the sum for each reason, by one thread at a time.
    package init(wait: @escaping Wait, report: @escaping @Sendable (Discard) -> Void) {
        (self.wait, self.report) = (wait, report)
    }

    package func add(_ discard: Discard) {
        let isDue = state.withLock { state in
            state.waiting.add(discard)
            defer { state.isPausing = true }
            return !state.isPausing
        }
        if isDue { reportAndPause() }
    }

    /// Reports what has not been reported yet.
    package func finish() {
        reporting.withLock { _ in
            let waiting = state.withLock { state in
                defer { (state.waiting, state.isReporting) = ([], true) }
                return state.waiting
            }
            waiting.forEach(report)
            state.withLock { $0.isReporting = false }
        }
    }

    /// The same, but leaves it for later if something is being reported: `report` may wait for the caller.
    package func finishIfFree() {
        if state.withLock({ !$0.isReporting }) { finish() }
    }

    private func reportAndPause() {
        finish()
        wait(Self.interval) {
            let hasWaiting = self.state.withLock { state in
                state.isPausing = !state.waiting.isEmpty
                return state.isPausing
            }
            if hasWaiting { self.reportAndPause() }
        }
    }
}
