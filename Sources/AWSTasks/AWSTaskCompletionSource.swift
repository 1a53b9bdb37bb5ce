public import Foundation

/// Creates a task and completes it.
///
/// Keep the source with the code that does the work, and return its ``task``. Safe to use from any thread. If a source is
/// freed before it has completed its task, the task stays pending.
public final class AWSTaskCompletionSource<ResultType: AnyObject>: NSObject, @unchecked Sendable {
    // Safe because it is immutable, and a task may be used from any thread.

    /// The task that this source completes.
    public let task: AWSTask<ResultType>

    /// A source with a pending task.
    public override init() {
        task = AWSTask()
    }

    /// Completes the task with a result. Traps if it is completed already; see `trySet(result:)`.
    public func set(result: ResultType?) {
        complete(with: .succeeded(result), "a result")
    }

    /// Completes the task with an error. Traps if it is completed already; see ``trySet(error:)``.
    public func set(error: any Error) {
        complete(with: .faulted(BridgedError.bridge(error)), "an error")
    }

    /// Cancels the task. Traps if it is completed already; see ``trySetCancelled()``.
    public func cancel() {
        complete(with: .cancelled, "a cancellation")
    }

    /// Completes the task with a result, unless it is completed already.
    ///
    /// - Returns: True if this call completed the task.
    @discardableResult
    public func trySet(result: ResultType?) -> Bool {
        task.complete(.succeeded(result))
    }

    /// Completes the task with an error, unless it is completed already.
    ///
    /// - Returns: True if this call completed the task.
    @discardableResult
    public func trySet(error: any Error) -> Bool {
        task.complete(.faulted(BridgedError.bridge(error)))
    }

    /// Cancels the task, unless it is completed already.
    ///
    /// - Returns: True if this call cancelled the task.
    @discardableResult
    public func trySetCancelled() -> Bool {
        task.complete(.cancelled)
    }

    private func complete(with outcome: TaskOutcome, _ what: String) {
        guard task.complete(outcome) else {
            fatalError(
                "AWSTaskCompletionSource was given \(what) for a task that is completed already. A task completes once: "
                    + "where several may try, call trySet(result:), trySet(error:) or trySetCancelled()."
            )
        }
    }
}

extension AWSTaskCompletionSource where ResultType == AnyObject {
    /// Completes the task with any value. Strings, numbers, arrays and the like are bridged to objects.
    ///
    /// Traps if it is completed already.
    @_disfavoredOverload
    public func set(result: Any?) {
        set(result: BlockResult(result).object)
    }

    /// Completes the task with any value, unless it is completed already.
    ///
    /// - Returns: True if this call completed the task.
    @_disfavoredOverload
    @discardableResult
    public func trySet(result: Any?) -> Bool {
        trySet(result: BlockResult(result).object)
    }
}
