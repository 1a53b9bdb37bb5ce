import Foundation
import RecorderConcurrency

extension AWSTask {
    /// Waits for the task to complete and returns its result. Throws the error of a faulted task, and `CancellationError`
    /// for a cancelled one.
    ///
    /// An error that was thrown in Swift is rethrown in its original type. If the waiting Swift task is cancelled, the wait
    /// ends with `CancellationError`; this task continues.
    public nonisolated(nonsending) var value: ResultType? {
        get async throws {
            switch await finalOutcome {
            case .succeeded(let result?): result as? ResultType
            case .succeeded(nil): nil
            case .faulted(let error): throw (error as? BridgedError)?.original ?? error
            case .cancelled: throw CancellationError()
            }
        }
    }

    /// A task that completes when async code does.
    ///
    /// - Parameter operation: Runs in a new Swift task. What it throws faults the task; a `CancellationError` cancels it.
    @_disfavoredOverload
    public convenience init(_ operation: sending @escaping () async throws -> ResultType?) {
        self.init()
        run { .value(try await operation()) }
    }

    private func run(_ operation: sending @escaping () async throws -> BlockResult) {
        Task {
            do {
                switch try await operation() {
                case .value(let result): continueWithUserCode(settle(.succeeded(result)))
                case .task(let task): continueWithUserCode(follow(task, token: nil))
                }
            } catch {
                continueWithUserCode(settle(TaskOutcome(thrown: error)))
            }
        }
    }

    /// Continuations may block, and the pool of Swift's tasks has few threads.
    private func continueWithUserCode(_ ready: ReadyContinuations?) {
        if let ready, !ready.queue.isEmpty { UserCodeExecutor.run { Trampoline.run(ready) } }
    }
}

// The same without a result type.
extension AWSTask where ResultType == AnyObject {
    /// A task that completes when async code does, with any value. Strings, numbers, arrays and the like are bridged to
    /// objects.
    ///
    /// - Parameter operation: Runs in a new Swift task. Its return value and errors are handled as in a continuation.
    public convenience init(_ operation: sending @escaping () async throws -> Any?) {
        self.init()
        run { BlockResult(try await operation()) }
    }

    /// The same for code without an `await`. Without this overload such a closure would be used as the result itself.
    public convenience init(_ operation: sending @escaping () throws -> Any?) {
        self.init()
        run { BlockResult(try operation()) }
    }
}

extension AWSAnyTask {
    /// The outcome once there is one, or `.cancelled` as soon as the waiting Swift task is cancelled.
    fileprivate var finalOutcome: TaskOutcome {
        get async {
            if let outcome { return outcome }
            let waiter = AsyncWaiter()
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    waiter.wait(for: self, resuming: continuation)
                }
            } onCancel: {
                waiter.resume(.cancelled)
            }
        }
    }
}

/// Resumes one Swift task that awaits a task.
///
/// After a cancelled wait it stays in the task's queue, without effect, until the task completes or is freed.
private final class AsyncWaiter: TaskContinuation, @unchecked Sendable {
    // Safe because its mutable state is behind a lock.
    private enum State {
        case idle
        case waiting(CheckedContinuation<TaskOutcome, Never>)
        case ended(TaskOutcome)
    }

    private let state = Locked(State.idle)

    init() {
        super.init(executor: .immediate, child: nil)
    }

    func wait(for task: AWSAnyTask, resuming continuation: CheckedContinuation<TaskOutcome, Never>) {
        let early: TaskOutcome? = state.withLock { state in
            if case .ended(let outcome) = state { return outcome }
            state = .waiting(continuation)
            return nil
        }
        if let early {
            continuation.resume(returning: early)
        } else {
            task.then(self)
        }
    }

    override func run(after task: AWSAnyTask) -> ReadyContinuations? {
        if let outcome = task.outcome { resume(outcome) }
        return nil
    }

    func resume(_ outcome: TaskOutcome) {
        let waiting: CheckedContinuation<TaskOutcome, Never>? = state.withLock { state in
            defer { state = .ended(outcome) }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: outcome)
    }
}
