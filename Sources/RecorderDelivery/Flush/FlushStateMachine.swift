/// Decides who runs a flush and who waits for what. Pure: `FlushScheduler` does what it says.
///
/// A run holds the lease, and works on rounds, see `StreamScheduler`. A round sends the records that were saved before it began, so
/// a request during a run waits for a new round, which requests share until it begins: in the current run, or in the next one.
///
/// | state | a request | a round begins | a round ends | the run ends |
/// |---|---|---|---|---|
/// | idle | starts a run | | | |
/// | running | waits | for all that wait | serves its requests | what waits starts a run |
package struct FlushStateMachine<Waiter> {
    private struct Round {
        let number: Int
        var waiters: [Waiter]
    }

    private enum State {
        case idle
        /// `next` is nil if nothing was requested since the last round began.
        case flushing(rounds: [Round], next: (waiters: [Waiter], scope: StreamScheduler.Scope)?)
    }

    private var state = State.idle
    private var lastNumber = 0

    package init() {}

    package enum Request: Equatable {
        /// Start a run with this round.
        case start(FlushRound)
        /// A round that serves this waiter begins by itself.
        case wait
    }

    package mutating func flushRequested(
        by waiter: Waiter,
        for scope: StreamScheduler.Scope = .all
    ) -> Request {
        switch state {
        case .idle: return .start(begin([waiter], for: scope, beside: []))
        case .flushing(let rounds, let next):
            let all = next?.scope == .all || scope == .all
            state = .flushing(rounds: rounds, next: ((next?.waiters ?? []) + [waiter], all ? .all : .due))
            return .wait
        }
    }

    /// Starts a run without a waiter if there is none.
    package mutating func startIfIdle() -> FlushRound? {
        guard case .idle = state else { return nil }
        return begin([], for: .all, beside: [])
    }

    /// Begins a round in the current run for what was requested meanwhile; nil if nothing was.
    package mutating func nextRound() -> FlushRound? {
        guard case .flushing(let rounds, let next?) = state else { return nil }
        return begin(next.waiters, for: next.scope, beside: rounds)
    }

    private mutating func begin(
        _ waiters: [Waiter],
        for scope: StreamScheduler.Scope,
        beside rounds: [Round]
    ) -> FlushRound {
        lastNumber += 1
        state = .flushing(rounds: rounds + [Round(number: lastNumber, waiters: waiters)], next: nil)
        return FlushRound(number: lastNumber, scope: scope)
    }

    /// Returns the waiters for the round's result.
    package mutating func ended(_ round: FlushRound) -> [Waiter] {
        guard case .flushing(var rounds, let next) = state,
            let index = rounds.firstIndex(where: { $0.number == round.number })
        else { preconditionFailure("a round ended that never began") }
        defer { state = .flushing(rounds: rounds, next: next) }
        return rounds.remove(at: index).waiters
    }

    /// Removes the waiters for which `isMeant` is true.
    ///
    /// - Returns: the removed waiters, and whether the current run has no waiter left because of this.
    package mutating func withdraw(
        where isMeant: (Waiter) -> Bool
    ) -> (withdrawn: [Waiter], isRunUnused: Bool) {
        guard case .flushing(var rounds, var next) = state else { return ([], false) }
        let removed = rounds.flatMap { $0.waiters.filter(isMeant) }
        let later = next?.waiters.filter(isMeant) ?? []
        for index in rounds.indices { rounds[index].waiters.removeAll(where: isMeant) }
        next?.waiters.removeAll(where: isMeant)
        state = .flushing(rounds: rounds, next: next?.waiters.isEmpty == false ? next : nil)
        return (removed + later, !removed.isEmpty && rounds.allSatisfy(\.waiters.isEmpty))
    }

    /// All rounds of the run have ended. Returns the round with which another run starts now.
    package mutating func flushEnded() -> FlushRound? {
        guard case .flushing(let rounds, let next) = state, rounds.isEmpty else {
            preconditionFailure("A flush ended that never started, or whose rounds have not ended.")
        }
        state = .idle
        return next.map { begin($0.waiters, for: $0.scope, beside: []) }
    }
}

/// One round of a flush.
package struct FlushRound: Sendable, Equatable {
    package let number: Int
    package let scope: StreamScheduler.Scope
}
