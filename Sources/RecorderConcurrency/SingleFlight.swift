/// Shares one run of some work between all callers that ask while it runs.
///
/// The result is not kept: the next caller after the end starts the work again, even after a failure. A cancelled caller stops
/// waiting at once; the work is cancelled when no caller waits any more. No lock is held while the work runs.
package final class SingleFlight<Value: Sendable, Failure: Error>: Sendable {
    package typealias Work = @Sendable () async throws(Failure) -> Value

    private typealias Waiter = CheckedContinuation<Result<Value, Failure>, Never>

    private struct State {
        var waiting: [Int: Waiter] = [:]
        var leftEarly: Set<Int> = []
        var nextNumber = 0
        var flight = 0
        /// Whether the last flight has not ended.
        var isFlying = false
        /// Its work, as soon as that has been started.
        var work: Task<Void, Never>?

        mutating func land() -> Task<Void, Never>? {
            defer { (isFlying, work) = (false, nil) }
            return work
        }
    }

    private enum Joined {
        case waits, starts(flight: Int), hasLeft
    }

    private let state = Locked(State())
    private let cancelled: Failure
    private let executor: (any TaskExecutor)?

    /// `cancelled` is the error of a cancelled caller. Without an executor the work runs where its first
    /// caller does.
    package init(cancelled: Failure, on executor: (any TaskExecutor)? = nil) {
        self.cancelled = cancelled
        self.executor = executor
    }

    /// The result of the running work, or, if none runs, of `work`, which is started.
    package func value(_ work: @escaping Work) async throws(Failure) -> Value {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { join(number, continuation: $0, work: work) }
        } onCancel: {
            leave(number)
        }
        // A cancellation after the end left its number.
        _ = state.withLock { $0.leftEarly.remove(number) }
        return try outcome.get()
    }

    private func join(
        _ number: Int,
        continuation: Waiter,
        work: @escaping Work
    ) {
        // Without an executor of its own, the work runs where its first caller does.
        let executor = self.executor ?? Task.currentExecutor
        let joined = state.withLock { state -> Joined in
            guard state.leftEarly.remove(number) == nil else { return .hasLeft }
            state.waiting[number] = continuation
            guard !state.isFlying else { return .waits }
            state.flight += 1
            state.isFlying = true
            return .starts(flight: state.flight)
        }
        switch joined {
        case .waits: break
        case .starts(let flight):
            // The executor may run it at once, up to its end.
            let task = Task(executorPreference: executor) {
                self.finish(flight, outcome: await Self.outcome(of: work))
            }
            let isWanted = state.withLock { state in
                guard state.isFlying, flight == state.flight else { return false }
                state.work = task
                return true
            }
            if !isWanted { task.cancel() }
        case .hasLeft: continuation.resume(returning: .failure(cancelled))
        }
    }

    private func leave(_ number: Int) {
        let (continuation, work) = state.withLock {
            state -> (Waiter?, Task<Void, Never>?) in
            guard let continuation = state.waiting.removeValue(forKey: number) else {
                state.leftEarly.insert(number)
                return (nil, nil)
            }
            return (continuation, state.waiting.isEmpty ? state.land() : nil)
        }
        work?.cancel()
        continuation?.resume(returning: .failure(cancelled))
    }

    /// Resumes all waiting callers, unless this run was cancelled and they wait for a later one.
    private func finish(_ flight: Int, outcome: Result<Value, Failure>) {
        let waiting = state.withLock { state -> [Waiter] in
            guard flight == state.flight, state.isFlying else { return [] }
            defer { state.waiting = [:] }
            _ = state.land()
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
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
