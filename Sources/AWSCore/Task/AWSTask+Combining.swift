import Foundation

// A task out of many. Bare `AWSTask(forCompletionOf…)` makes an `AWSTask<AnyObject>`, as chains without annotations need.
extension AWSTask where ResultType == AnyObject {
    /// A task that completes once all the given ones have.
    ///
    /// It succeeds with nil if all of them did. One error among them becomes its error; two or more become one of domain
    /// ``AWSTaskErrorDomain`` and code ``kAWSMultipleErrorsError``, which lists them in the order in which they came.
    /// Without an error, one cancellation cancels it.
    ///
    /// - Parameter tasks: Tasks of any result type. None, or nil: the task has succeeded already.
    public convenience init(forCompletionOfAllTasks tasks: [AWSAnyTask]?) {
        self.init()
        gather(tasks, .all)
    }

    /// The same for an array whose type says nothing; it must hold tasks only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAllTasks tasks: [Any]?) {
        self.init(forCompletionOfAllTasks: tasks.map(tasksOnly))
    }

    /// A task that completes once all the given ones have, with an array of their results.
    ///
    /// The results stand in the order of the given tasks, an `NSNull` for each nil. Errors and cancellations count as in
    /// `init(forCompletionOfAllTasks:)`.
    ///
    /// - Parameter tasks: Tasks of any result type. None: the task has succeeded with an empty array; nil: with nil.
    public convenience init(forCompletionOfAllTasksWithResults tasks: [AWSAnyTask]?) {
        self.init()
        gather(tasks, .allWithResults)
    }

    /// The same for an array whose type says nothing; it must hold tasks only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAllTasksWithResults tasks: [Any]?) {
        self.init(forCompletionOfAllTasksWithResults: tasks.map(tasksOnly))
    }

    /// A task that succeeds with the result of the first of the given ones to succeed.
    ///
    /// If none does, it completes after the last: cancelled if one of them was, else with their error, or with one that
    /// lists them as in `init(forCompletionOfAllTasks:)`.
    ///
    /// - Parameter tasks: Tasks of any result type. None, or nil: the task has succeeded already, with nil.
    public convenience init(forCompletionOfAnyTask tasks: [AWSAnyTask]?) {
        self.init()
        gather(tasks, .any)
    }

    /// The same for an array whose type says nothing; it must hold tasks only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAnyTask tasks: [Any]?) {
        self.init(forCompletionOfAnyTask: tasks.map(tasksOnly))
    }
}

// The same where the result type is written out, as in `AWSTask<NSArray>(forCompletionOfAllTasksWithResults: tasks)`.
extension AWSTask {
    /// A task that completes once all the given ones have. The array must hold tasks only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAllTasks tasks: [Any]?) {
        self.init()
        gather(tasks.map(tasksOnly), .all)
    }

    /// A task that completes once all the given ones have, with an array of their results. The array must hold tasks only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAllTasksWithResults tasks: [Any]?) {
        self.init()
        gather(tasks.map(tasksOnly), .allWithResults)
    }

    /// A task that succeeds with the result of the first of the given ones to succeed. The array must hold tasks only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAnyTask tasks: [Any]?) {
        self.init()
        gather(tasks.map(tasksOnly), .any)
    }

    private func gather(_ tasks: [AWSAnyTask]?, _ rule: WhenAll.Rule) {
        guard let tasks, !tasks.isEmpty else {
            complete(.succeeded(tasks != nil && rule == .allWithResults ? NSArray() : nil))
            return
        }
        let gathering = WhenAll(tasks.count, rule)
        for (index, task) in tasks.enumerated() {
            guard let outcome = task.outcome ?? task.append(GatheredTask(index, of: gathering, child: self)) else {
                continue
            }
            if let end = gathering.note(outcome, at: index) { complete(end) }
        }
    }
}

private func tasksOnly(_ values: [Any]) -> [AWSAnyTask] {
    values.enumerated().map { index, value in
        guard let task = value as? AWSAnyTask else {
            fatalError("Element \(index) of the tasks to wait for is a \(type(of: value)), not an AWSTask.")
        }
        return task
    }
}
