/// A user's block and the rules under which it is called.
struct BlockStep<ResultType: AnyObject> {
    let block: (AWSTask<ResultType>) throws -> Any?
    let token: AWSCancellationToken?
    let onSuccessOnly: Bool

    /// How the step leaves the task that it completes.
    enum Ending {
        case ended(TaskOutcome)
        case follows(AWSAnyTask)
    }

    /// Calls the block and makes the task that it completes: the short way where nothing has to be kept for later.
    func start(after task: AWSTask<ResultType>) -> AWSTask<AnyObject> {
        switch run(after: task) {
        case .ended(let outcome):
            return AWSTask<AnyObject>(outcome)
        case .follows(let task):
            let child = AWSTask<AnyObject>()
            child.adopt(task, token: token)
            return child
        }
    }

    /// Calls the block, unless the token or the task's outcome forbids it.
    func run(after task: AWSTask<ResultType>) -> Ending {
        if let token, token.wasCancelled { return .ended(.cancelled) }
        if onSuccessOnly, let outcome = task.outcome, !outcome.isSuccess { return .ended(outcome) }
        do {
            switch BlockResult(try block(task)) {
            case .value(let result): return .ended(.succeeded(result))
            case .task(let task): return task.outcome.map { .ended($0.adopted(under: token)) } ?? .follows(task)
            }
        } catch {
            return .ended(TaskOutcome(thrown: error))
        }
    }
}
