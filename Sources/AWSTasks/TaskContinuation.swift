import Foundation

/// Work that runs once when a task completes, or is freed with a task that never does. Subclasses override `run(after:)`.
class TaskContinuation: @unchecked Sendable {
    // Safe because a continuation belongs to one thread at a time: the one that creates it, then its task, which takes
    // and hands over continuations atomically, then the one that runs it.

    /// How the continuation asks to be run.
    final let executor: ExecutorKind

    /// The continuations behind this one in its task's queue.
    final var next = ContinuationQueue()

    /// The task that this continuation completes, or helps to complete.
    final var child: AWSAnyTask?

    init(executor: ExecutorKind, child: AWSAnyTask?) {
        self.executor = executor
        self.child = child
    }

    /// True for a continuation that only wakes a waiting thread. Those run before all blocks.
    var wakesThread: Bool { false }

    /// Does the work, given the completed task, and returns the continuations that became ready.
    func run(after task: AWSAnyTask) -> ReadyContinuations? {
        fatalError("TaskContinuation.run(after:) must be overridden.")
    }
}

/// Runs a user's block, whose return value completes the child.
final class BlockContinuation<ResultType: AnyObject>: TaskContinuation, @unchecked Sendable {
    // Safe as its superclass is. The block is called once, where the user's executor runs it.
    private let block: ContinuationBlock<ResultType>

    init(child: AWSAnyTask, executor: ExecutorKind, block: ContinuationBlock<ResultType>) {
        self.block = block
        super.init(executor: executor, child: child)
    }

    override func run(after task: AWSAnyTask) -> ReadyContinuations? {
        guard let child else { return nil }
        // Only an AWSTask<ResultType> adds these continuations, to itself.
        switch block.call(after: unsafe unsafeDowncast(task, to: AWSTask<ResultType>.self)) {
        case .outcome(let outcome): return child.settle(outcome)
        case .task(let task): return child.follow(task, token: block.token)
        }
    }
}

/// Completes the child with the outcome of the task before it.
final class Forwarding: TaskContinuation, @unchecked Sendable {
    // Safe as its superclass is.
    private let token: AWSCancellationToken?

    init(child: AWSAnyTask, token: AWSCancellationToken?) {
        self.token = token
        super.init(executor: .immediate, child: child)
    }

    override func run(after task: AWSAnyTask) -> ReadyContinuations? {
        guard let child, let outcome = task.outcome else { return nil }
        return child.settle(outcome.forwarded(under: token))
    }
}

/// Wakes one thread that blocks until the task is completed.
final class ThreadWaiter: TaskContinuation, @unchecked Sendable {
    // Safe because a semaphore may be used from any thread.
    private let semaphore = DispatchSemaphore(value: 0)

    init() {
        super.init(executor: .immediate, child: nil)
    }

    override var wakesThread: Bool { true }

    override func run(after task: AWSAnyTask) -> ReadyContinuations? {
        semaphore.signal()
        return nil
    }

    func wait() {
        semaphore.wait()
    }
}
