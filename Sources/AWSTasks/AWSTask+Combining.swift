import Foundation

/// The domain of errors that tasks create themselves, with the AWS SDK's value.
public let AWSTaskErrorDomain = "bolts"

/// The code, in ``AWSTaskErrorDomain``, of an error that stands for several errors: 80175001.
public let kAWSMultipleErrorsError = 80_175_001

/// The `userInfo` key of the errors behind a ``kAWSMultipleErrorsError``: an `[NSError]` in the order of their occurrence.
public let AWSTaskMultipleErrorsUserInfoKey = "errors"

// `AWSTask(forCompletionOf…)` without a result type creates an `AWSTask<AnyObject>`, so that unannotated chains compile.
extension AWSTask where ResultType == AnyObject {
    /// A task that completes once all the given tasks have.
    ///
    /// It succeeds with nil if all of them did. With one error it faults with that error, with several errors it faults
    /// with an error of domain ``AWSTaskErrorDomain`` and code ``kAWSMultipleErrorsError`` that lists them in the order of
    /// their occurrence. If there was no error, but a cancellation, it is cancelled.
    ///
    /// - Parameter tasks: Tasks of any result type. If empty or nil, the task has already succeeded.
    public convenience init(forCompletionOfAllTasks tasks: [AWSAnyTask]?) {
        self.init()
        combine(tasks, by: .all)
    }

    /// The same for an array without a static element type. It must contain tasks only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAllTasks tasks: [Any]?) {
        self.init(forCompletionOfAllTasks: tasks.map(tasksOnly))
    }

    /// A task that completes once all the given tasks have, with an array of their results.
    ///
    /// The results are in the order of the given tasks, with an `NSNull` for each nil. Errors and cancellations are
    /// handled as in `init(forCompletionOfAllTasks:)`.
    ///
    /// - Parameter tasks: Tasks of any result type. If empty, the task has already succeeded with an empty array; if nil,
    ///   with nil.
    public convenience init(forCompletionOfAllTasksWithResults tasks: [AWSAnyTask]?) {
        self.init()
        combine(tasks, by: .allWithResults)
    }

    /// The same for an array without a static element type. It must contain tasks only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAllTasksWithResults tasks: [Any]?) {
        self.init(forCompletionOfAllTasksWithResults: tasks.map(tasksOnly))
    }

    /// A task that succeeds with the result of the first of the given tasks to succeed.
    ///
    /// If none succeeds, it completes after the last one: cancelled if one of them was, otherwise with their error, or
    /// with an error that lists them as in `init(forCompletionOfAllTasks:)`.
    ///
    /// - Parameter tasks: Tasks of any result type. If empty or nil, the task has already succeeded with nil.
    public convenience init(forCompletionOfAnyTask tasks: [AWSAnyTask]?) {
        self.init()
        combine(tasks, by: .any)
    }

    /// The same for an array without a static element type. It must contain tasks only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAnyTask tasks: [Any]?) {
        self.init(forCompletionOfAnyTask: tasks.map(tasksOnly))
    }
}

// The same with an explicit result type, as in `AWSTask<NSArray>(forCompletionOfAllTasksWithResults: tasks)`.
extension AWSTask {
    /// A task that completes once all the given tasks have. The array must contain tasks only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAllTasks tasks: [Any]?) {
        self.init()
        combine(tasks.map(tasksOnly), by: .all)
    }

    /// A task that completes once all the given tasks have, with an array of their results. The array must contain tasks
    /// only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAllTasksWithResults tasks: [Any]?) {
        self.init()
        combine(tasks.map(tasksOnly), by: .allWithResults)
    }

    /// A task that succeeds with the result of the first of the given tasks to succeed. The array must contain tasks only.
    @_disfavoredOverload
    public convenience init(forCompletionOfAnyTask tasks: [Any]?) {
        self.init()
        combine(tasks.map(tasksOnly), by: .any)
    }

    private func combine(_ tasks: [AWSAnyTask]?, by rule: WhenAll.Rule) {
        guard let tasks, !tasks.isEmpty else {
            complete(.succeeded(tasks != nil && rule == .allWithResults ? NSArray() : nil))
            return
        }
        let whenAll = WhenAll(count: tasks.count, rule: rule)
        for (index, task) in tasks.enumerated() {
            let outcome = task.outcome ?? task.append(WhenAllContinuation(whenAll, index: index, child: self))
            guard let outcome else { continue }
            if let combined = whenAll.add(outcome, at: index) { complete(combined) }
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
