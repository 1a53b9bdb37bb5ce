/// A user's block, run after its task, whose return value completes the child.
final class BlockContinuation<ResultType: AnyObject>: TaskContinuation, @unchecked Sendable {
    // Safe as its superclass is; the block is called once, where the user's executor says.
    private let step: BlockStep<ResultType>

    init(child: AWSAnyTask, place: ExecutionPlace, step: BlockStep<ResultType>) {
        self.step = step
        super.init(place: place, child: child)
    }

    override func run(after task: AWSAnyTask) -> ReadyContinuations? {
        guard let child else { return nil }
        // Only AWSTask<ResultType> puts these in line, in its own.
        switch step.run(after: unsafe unsafeDowncast(task, to: AWSTask<ResultType>.self)) {
        case .ended(let outcome): return child.settle(outcome)
        case .follows(let task): return child.follow(task, token: step.token)
        }
    }
}
