/// The result of asynchronous work, and the blocks to run once it is there.
///
/// A task goes from pending to succeeded, faulted or cancelled, once, and never changes again. Blocks given to
/// ``continueWith(block:)`` and its variants run after that, in the order in which they were added, or at once if the task
/// is already completed. The return value of a block completes the task that the call returned, so calls can be chained:
///
/// ```swift
/// recorder.saveRecord(data, streamName: "clicks").continueOnSuccessWith { _ in
///     recorder.submitAllRecords()
/// }.continueWith { task in
///     if let error = task.error { print(error) }
///     return nil
/// }
/// ```
///
/// - A block that returns nil completes its task with nil. If it returns a task, its own task completes with the outcome of
///   that one. Any other value becomes the result. Strings, numbers, arrays and the like are bridged to objects: read them
///   back with `as? String` and so on. A block may throw: its task then faults, or is cancelled by a `CancellationError`.
/// - A block that returns tasks of one type, such as `{ task -> AWSTask<NSDictionary>? in ... }`, gives a task of that type.
///   All other blocks give an `AWSTask<AnyObject>`.
/// - Blocks are never called with a lock held. A block added on another thread at the moment of completion may run in
///   parallel with earlier ones.
/// - Use ``AWSTaskCompletionSource`` to create a task that you complete yourself, ``value`` to await a task, and
///   `AWSTask { try await … }` to create one from async code.
///
/// Safe to use from any thread. Chains of any length, and blocks that continue without end, use a bounded amount of stack.
public final class AWSTask<ResultType: AnyObject>: AWSAnyTask, @unchecked Sendable {
    // Safe because it adds no state of its own. Whether a result may be used on several threads is up to its users.

    /// A pending task that cannot be completed. See ``AWSTaskCompletionSource`` for one that can.
    public override init() {
        super.init()
    }

    override init(_ outcome: TaskOutcome) {
        super.init(outcome)
    }

    /// A task that has succeeded.
    public convenience init(result: ResultType?) {
        self.init(.succeeded(result))
    }

    /// A task that has faulted. A Swift error is stored as an `NSError` with its domain and code.
    public convenience init(error: any Error) {
        self.init(.faulted(BridgedError.bridge(error)))
    }

    /// A task that has been cancelled.
    public static func cancelled() -> AWSTask<ResultType> {
        AWSTask(.cancelled)
    }

    /// A task that a block completes.
    ///
    /// - Parameters:
    ///   - executor: Where the block runs.
    ///   - block: Its return value and errors are handled as in a continuation; nil counts as a block that returns nil.
    public convenience init(from executor: AWSExecutor, with block: (() throws -> Any?)?) {
        self.init()
        start(block, on: executor)
    }

    /// The result of a task that succeeded; nil for every other task, and for one that succeeded with nil.
    public var result: ResultType? {
        if case .succeeded(let result?) = outcome { result as? ResultType } else { nil }
    }
}

// The same without a result type, so that unannotated chains compile.
extension AWSTask where ResultType == AnyObject {
    /// A task that has succeeded with any value. Strings, numbers, arrays and the like are bridged to objects.
    @_disfavoredOverload
    public convenience init(result: Any?) {
        self.init(.succeeded(BlockResult(result).object))
    }

    /// A task that has faulted. A Swift error is stored as an `NSError` with its domain and code.
    public convenience init(error: any Error) {
        self.init(.faulted(BridgedError.bridge(error)))
    }

    /// A task that has been cancelled.
    public static func cancelled() -> AWSTask<AnyObject> {
        AWSTask(.cancelled)
    }

    /// A task that a block completes.
    ///
    /// - Parameters:
    ///   - executor: Where the block runs.
    ///   - block: Its return value and errors are handled as in a continuation; nil counts as a block that returns nil.
    public convenience init(from executor: AWSExecutor, with block: (() throws -> Any?)?) {
        self.init()
        start(block, on: executor)
    }
}

extension AWSTask {
    private func start(_ block: (() throws -> Any?)?, on executor: AWSExecutor) {
        let block = ContinuationBlock<AnyObject>(.value { _ in try block?() }, token: nil, onSuccessOnly: false)
        AWSTask<AnyObject>(.succeeded(nil)).then(
            BlockContinuation(child: self, executor: executor.kind, block: block)
        )
    }
}
