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
        var work: Task<Void, Never>?
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
        let callers = unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor?.asTaskExecutor() }
        let executor = self.executor ?? callers
        let isWaiting = state.withLock { state in
            guard state.leftEarly.remove(number) == nil else { return false }
            state.waiting[number] = continuation
            if state.work == nil {
                state.flight += 1
                let flight = state.flight
                state.work = Task(executorPreference: executor) {
                    self.finish(flight, outcome: await Self.outcome(of: work))
                }
            }
            return true
        }
        if !isWaiting { continuation.resume(returning: .failure(cancelled)) }
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

    /// Resumes all waiting callers, unless this run was cancelled and they wait for a later one.
    private func finish(_ flight: Int, outcome: Result<Value, Failure>) {
        let waiting = state.withLock { state -> [Waiter] in
            guard flight == state.flight, state.work != nil else { return [] }
            defer { state.waiting = [:] }
            state.work = nil
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
