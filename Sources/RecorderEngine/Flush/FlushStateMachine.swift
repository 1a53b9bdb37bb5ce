/// Decides who runs a flush and who waits for which run. Pure: `RecordPipeline` performs what it says.
///
/// A run takes the records that were saved before it began. Whoever asks during a run may have saved since, so all who
/// ask during one run wait for one more, which begins when that one ends.
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
        /// A run that will serve this waiter starts by itself.
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

    /// Starts a run that nobody waits for here, unless there is one: true if it must start now.
    package mutating func startIfIdle() -> Bool {
        guard case .idle = state else { return false }
        state = .flushing(now: [], next: [])
        return true
    }

    /// Takes back the requests that `isMeant` is true for.
    ///
    /// - Returns: who waits no longer, and whether a run is under way that nobody waits for any more.
    package mutating func withdraw(
        where isMeant: (Waiter) -> Bool
    ) -> (withdrawn: [Waiter], isRunForNobody: Bool) {
        guard case .flushing(let now, let next) = state else { return ([], false) }
        let (left, gone) = (now.filter { !isMeant($0) }, now.filter(isMeant))
        state = .flushing(now: left, next: next.filter { !isMeant($0) })
        return (gone + next.filter(isMeant), !gone.isEmpty && left.isEmpty)
    }

    /// - Returns: whom to tell the run's result, and whether another run starts now.
    package mutating func flushEnded() -> (served: [Waiter], startsAgain: Bool) {
        guard case .flushing(let now, let next) = state else {
            preconditionFailure("A flush ended that never started.")
        }
        state = next.isEmpty ? .idle : .flushing(now: next, next: [])
        return (now, !next.isEmpty)
    }
}
