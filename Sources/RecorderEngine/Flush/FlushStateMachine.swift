/// Decides who runs a flush and who waits for which run. Pure: `FlushScheduler` does what it says.
///
/// A run sends the records that were saved before it began. A request during a run may be about later records, so all requests
/// during one run wait for one more run, which begins when that one ends.
package struct FlushStateMachine<Waiter> {
    private enum State {
        case idle
        case flushing(now: [Waiter], next: [Waiter])
    }

    private var state = State.idle

    package init() {}

    package enum Request {
        /// Start a run.
        case start
        /// A run that serves this waiter starts by itself.
        case wait
    }

    package mutating func flushRequested(by waiter: Waiter) -> Request {
        switch state {
        case .idle:
            state = .flushing(now: [waiter], next: [])
            return .start
        case .flushing(let now, let next):
            state = .flushing(now: now, next: next + [waiter])
            return .wait
        }
    }

    /// Starts a run without a waiter if there is none; whether it did.
    package mutating func startIfIdle() -> Bool {
        guard case .idle = state else { return false }
        state = .flushing(now: [], next: [])
        return true
    }

    /// Removes the waiters for which `isMeant` is true.
    ///
    /// - Returns: the removed waiters, and whether the current run has no waiter left because of this.
    package mutating func withdraw(
        where isMeant: (Waiter) -> Bool
    ) -> (withdrawn: [Waiter], isRunUnused: Bool) {
        guard case .flushing(let now, let next) = state else { return ([], false) }
        let (left, removed) = (now.filter { !isMeant($0) }, now.filter(isMeant))
        state = .flushing(now: left, next: next.filter { !isMeant($0) })
        return (removed + next.filter(isMeant), !removed.isEmpty && left.isEmpty)
    }

    /// - Returns: the waiters for the run's result, and whether another run starts now.
    package mutating func flushEnded() -> (served: [Waiter], startsAgain: Bool) {
        guard case .flushing(let now, let next) = state else {
            preconditionFailure("A flush ended that never started.")
        }
        state = next.isEmpty ? .idle : .flushing(now: next, next: [])
        return (now, !next.isEmpty)
    }
}
