/// One piece of work for everybody who wants its result: who comes while it runs waits for it, and starts no second one.
///
/// Nothing is kept: the next caller after the end starts anew, after a failure too. A cancelled caller stops waiting at
/// once; the work itself is cancelled when the last one has left. No lock is held while the work runs.
package final class SingleFlight<Value: Sendable, Failure: Error>: Sendable {
    package typealias Work = @Sendable () async throws(Failure) -> Value

    private typealias Waiter = CheckedContinuation<Result<Value, Failure>, Never>

    private struct State {
        var waiting: [Int: Waiter] = [:]
        var leftEarly: Set<Int> = []
        var nextNumber = 0
        var flight = 0
        var work: Task<Void, Never>?
    }

    private let state = Locked(State())
    private let cancelled: Failure

    /// Nothing to wait for yet; `cancelled` is what a caller gets that was cancelled.
    package init(cancelled: Failure) {
        self.cancelled = cancelled
    }

    /// The result of the work that runs, or else of `work`, which is started.
    package func value(_ work: @escaping Work) async throws(Failure) -> Value {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { join(number, $0, work) }
        } onCancel: {
            leave(number)
        }
        // A cancellation that came after the end has left its number behind.
        _ = state.withLock { $0.leftEarly.remove(number) }
        return try outcome.get()
    }

    private func join(
        _ number: Int,
        _ continuation: Waiter,
        _ work: @escaping Work
    ) {
        let isWelcome = state.withLock { state in
            guard state.leftEarly.remove(number) == nil else { return false }
            state.waiting[number] = continuation
            if state.work == nil {
                state.flight += 1
                let flight = state.flight
                state.work = Task { land(flight, await Self.outcome(of: work)) }
            }
            return true
        }
        if !isWelcome { continuation.resume(returning: .failure(cancelled)) }
    }

    private func leave(_ number: Int) {
        let (continuation, work) = state.withLock {
            state -> (Waiter?, Task<Void, Never>?) in
            guard let continuation = state.waiting.removeValue(forKey: number) else {
                state.leftEarly.insert(number)
                return (nil, nil)
            }
            guard state.waiting.isEmpty else { return (continuation, nil) }
            defer { state.work = nil }
            return (continuation, state.work)
        }
        work?.cancel()
        continuation?.resume(returning: .failure(cancelled))
    }

    /// Answers all who wait, unless they wait for a later flight, because this one was given up.
    private func land(_ flight: Int, _ outcome: Result<Value, Failure>) {
        let waiting = state.withLock { state -> [Waiter] in
            guard flight == state.flight, state.work != nil else { return [] }
            defer { state.waiting = [:] }
            state.work = nil
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: outcome) }
    }

    private static func outcome(of work: Work) async -> Result<Value, Failure> {
        do {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}
