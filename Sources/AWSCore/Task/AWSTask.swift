/// A result that may come later, and what to do then.
///
/// A task goes once from pending to succeeded, faulted or cancelled, and stays so. Blocks given to
/// ``continueWith(block:)`` and its relatives run after that, in the order in which they were given, or at once if the
/// task is already completed; what a block returns completes the task that the call returned, so steps chain:
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
/// - A block that returns nil gives a task that succeeded with nil; one that returns a task gives a task that ends as
///   that one ends; any other value becomes the result. Strings, numbers, arrays and the like are bridged: read them back
///   with `as? String` and so on. A block may throw: its task then faults, or is cancelled by a `CancellationError`.
/// - No block is ever called under a lock. A block given from another thread at the very moment of completion may run
///   beside the earlier ones.
/// - Use ``AWSTaskCompletionSource`` to make a task that you complete yourself, ``value`` to await a task, and
///   `AWSTask { try await … }` to make one of async code.
///
/// Safe to use from any thread. Chains of any length, and blocks that continue for ever, need no more than one stack.
public final class AWSTask<ResultType: AnyObject>: AWSAnyTask, @unchecked Sendable {
    // Safe because it adds no state of its own. What a result may be used for is up to those who share it.

    /// A pending task that nothing can complete. See ``AWSTaskCompletionSource`` for one that you can.
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

    /// A task that has faulted. A Swift error is stored as an `NSError` of its domain and code.
    public convenience init(error: any Error) {
        self.init(.faulted(BridgedError.bridge(error)))
    }

    /// A task that has been cancelled.
    public static func cancelled() -> AWSTask<ResultType> {
        AWSTask(.cancelled)
    }

    /// A task that ends as a block says, which an executor runs.
    ///
    /// - Parameters:
    ///   - executor: Where the block runs.
    ///   - block: What it returns or throws counts as in a continuation; no block counts as one that returns nil.
    public convenience init(from executor: AWSExecutor, with block: (() throws -> Any?)?) {
        self.init()
        start(block, on: executor)
    }

    /// The result of a task that succeeded; nil for every other task, and for one that succeeded with nil.
    public var result: ResultType? {
        if case .succeeded(let result?) = outcome { result as? ResultType } else { nil }
    }
}

// The same where the result type is not written out, so that a chain without annotations compiles.
extension AWSTask where ResultType == AnyObject {
    /// A task that has succeeded with any value; strings, numbers, arrays and the like are bridged to objects.
    @_disfavoredOverload
    public convenience init(result: Any?) {
        self.init(.succeeded(BlockResult(result).object))
    }

    /// A task that has faulted. A Swift error is stored as an `NSError` of its domain and code.
    public convenience init(error: any Error) {
        self.init(.faulted(BridgedError.bridge(error)))
    }

    /// A task that has been cancelled.
    public static func cancelled() -> AWSTask<AnyObject> {
        AWSTask(.cancelled)
    }

    /// A task that ends as a block says, which an executor runs.
    ///
    /// - Parameters:
    ///   - executor: Where the block runs.
    ///   - block: What it returns or throws counts as in a continuation; no block counts as one that returns nil.
    public convenience init(from executor: AWSExecutor, with block: (() throws -> Any?)?) {
        self.init()
        start(block, on: executor)
    }
}

extension AWSTask {
    private func start(_ block: (() throws -> Any?)?, on executor: AWSExecutor) {
        let step = BlockStep<AnyObject>(block: { _ in try block?() }, token: nil, onSuccessOnly: false)
        AWSTask<AnyObject>(.succeeded(nil)).then(
            BlockContinuation(child: self, place: executor.place, step: step)
        )
    }
}
