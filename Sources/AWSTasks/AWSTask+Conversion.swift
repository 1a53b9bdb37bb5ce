import Foundation

/// The code, in ``AWSTaskErrorDomain``, of a task whose result does not have the type that was asked for: 80175002.
public let kAWSResultTypeError = 80_175_002

extension AWSTask {
    /// A task of this type that completes like a task of another type.
    ///
    /// Use it where code for iOS casts a task, which always fails here because `AWSTask<AnyObject>` and
    /// `AWSTask<NSDictionary>` are unrelated classes:
    ///
    /// ```swift
    /// func logins(with token: AWSTask<NSString>) -> AWSTask<NSDictionary> {
    ///     AWSTask(token.continueOnSuccessWith { task -> Any? in ["example.com": task.result!] })
    /// }
    /// ```
    ///
    /// A block that returns a task needs no conversion: give it the result type, as in
    /// `{ task -> AWSTask<NSDictionary>? in ... }`.
    ///
    /// - Parameter task: A task of any result type, completed or pending. If its result is not a `ResultType`, the new task
    ///   faults with an error of domain ``AWSTaskErrorDomain`` and code ``kAWSResultTypeError``.
    public convenience init(_ task: AWSAnyTask) {
        self.init()
        task.then(Conversion<ResultType>(child: self))
    }
}

/// Completes the child with the outcome of the task before it, if the result has the child's type.
private final class Conversion<ResultType: AnyObject>: TaskContinuation, @unchecked Sendable {
    // Safe as its superclass is.

    init(child: AWSTask<ResultType>) {
        super.init(executor: .immediate, child: child)
    }

    override func run(after task: AWSAnyTask) -> ReadyContinuations? {
        guard let child, let outcome = task.outcome else { return nil }
        if case .succeeded(let result?) = outcome, !(result is ResultType) {
            return child.settle(.faulted(mismatch(of: result)))
        }
        return child.settle(outcome)
    }

    private func mismatch(of result: AnyObject) -> NSError {
        let text =
            "AWSTask<\(ResultType.self)> was created from a task whose result is of type \(type(of: result)). "
            + "Return a \(ResultType.self) from the last block of that task's chain."
        return NSError(
            domain: AWSTaskErrorDomain,
            code: kAWSResultTypeError,
            userInfo: [NSLocalizedDescriptionKey: text]
        )
    }
}
