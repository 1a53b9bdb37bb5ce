extension AWSAnyTask {
    /// Lets this task end as another one ends.
    func follow(_ task: AWSAnyTask, token: AWSCancellationToken?) -> ReadyContinuations? {
        guard let outcome = task.append(Forwarding(child: self, token: token)) else { return nil }
        return settle(outcome.adopted(under: token))
    }

    /// Lets this task end as another one ends, and runs what becomes ready.
    func adopt(_ task: AWSAnyTask, token: AWSCancellationToken?) {
        if let ready = follow(task, token: token) { ContinuationRun.run(ready) }
    }
}

/// Ends one task as another one ended.
private final class Forwarding: TaskContinuation, @unchecked Sendable {
    // Safe as its superclass is.
    private let token: AWSCancellationToken?

    init(child: AWSAnyTask, token: AWSCancellationToken?) {
        self.token = token
        super.init(place: .immediate, child: child)
    }

    override func run(after task: AWSAnyTask) -> ReadyContinuations? {
        guard let child, let outcome = task.outcome else { return nil }
        return child.settle(outcome.adopted(under: token))
    }
}
