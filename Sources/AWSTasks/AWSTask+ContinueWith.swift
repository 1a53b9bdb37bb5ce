// Continuations come in two forms: one for blocks that return a task, which keeps its result type, and one for all other
// blocks. A block that fits both gets the first. That is why the second is disfavored: the compiler would otherwise choose
// it for blocks of several statements, and try every combination of the two along a chain.

extension AWSTask {
    /// Runs a block after this task, whatever its outcome, and then waits for the task that the block returns.
    ///
    /// Used for every block that returns tasks of one type, such as `{ task -> AWSTask<NSDictionary>? in ... }`, unless the
    /// code around the call expects an `AWSTask<AnyObject>`.
    ///
    /// - Parameters:
    ///   - executor: Where the block runs.
    ///   - block: Called with this task. The outcome of the task that it returns completes the returned task; so does an
    ///     error that it throws, or nil.
    ///   - cancellationToken: Checked before the block runs, and again when the task that it returned completes. If it is
    ///     cancelled, the returned task is cancelled.
    /// - Returns: A task of the same type as the block's.
    @discardableResult
    public func continueWith<Next: AnyObject>(
        executor: AWSExecutor = .default(),
        block: @escaping (AWSTask<ResultType>) throws -> AWSTask<Next>?,
        cancellationToken: AWSCancellationToken? = nil
    ) -> AWSTask<Next> {
        proceed(on: executor.kind, ContinuationBlock(.task(block), token: cancellationToken, onSuccessOnly: false))
    }

    /// Runs a block after this task if it succeeds, and then waits for the task that the block returns.
    ///
    /// Used for the same blocks as `continueWith(executor:block:cancellationToken:)` with a task as result.
    ///
    /// - Parameters:
    ///   - executor: Where the block runs.
    ///   - block: Called with this task. The outcome of the task that it returns completes the returned task; so does an
    ///     error that it throws, or nil. Not called after a fault or a cancellation, which the returned task takes over.
    ///   - cancellationToken: Checked now, before the block runs, and again when the task that it returned completes. If
    ///     it is cancelled, the returned task is cancelled.
    /// - Returns: A task of the same type as the block's.
    @discardableResult
    public func continueOnSuccessWith<Next: AnyObject>(
        executor: AWSExecutor = .default(),
        block: @escaping (AWSTask<ResultType>) throws -> AWSTask<Next>?,
        cancellationToken: AWSCancellationToken? = nil
    ) -> AWSTask<Next> {
        proceed(on: executor.kind, ContinuationBlock(.task(block), token: cancellationToken, onSuccessOnly: true))
    }

    /// Inlined, as is `ContinuationBlock.start`, so that chains without a type look up no generic class while they run.
    @inline(__always)
    fileprivate func proceed<Next: AnyObject>(
        on executor: ExecutorKind,
        _ block: ContinuationBlock<ResultType>
    ) -> AWSTask<Next> {
        if block.onSuccessOnly, let token = block.token, token.wasCancelled {
            return AWSTask<Next>(.cancelled)
        }
        if isCompleted, executor.canRunInline {
            return block.start(after: self)
        }
        let child = AWSTask<Next>()
        then(BlockContinuation(child: child, executor: executor, block: block))
        return child
    }
}

extension AWSTask {
    /// Runs a block after this task, whatever its outcome.
    ///
    /// - Parameter block: Called with this task. Its return value or error completes the returned task. Returning nil after
    ///   a fault clears the fault for the rest of the chain.
    /// - Returns: The task that the block completes.
    @_disfavoredOverload
    @discardableResult
    public func continueWith(block: @escaping (AWSTask<ResultType>) throws -> Any?) -> AWSTask<AnyObject> {
        proceed(on: .default, ContinuationBlock(.value(block), token: nil, onSuccessOnly: false))
    }

    /// Runs a block after this task, whatever its outcome, unless a token is cancelled first.
    ///
    /// - Parameters:
    ///   - block: Called with this task. Its return value or error completes the returned task.
    ///   - cancellationToken: Checked before the block runs, and again when a task that it returned completes. If it is
    ///     cancelled, the returned task is cancelled.
    /// - Returns: The task that the block completes.
    @_disfavoredOverload
    @discardableResult
    public func continueWith(
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(on: .default, ContinuationBlock(.value(block), token: cancellationToken, onSuccessOnly: false))
    }

    /// Runs a block on an executor after this task, whatever its outcome.
    @_disfavoredOverload
    @discardableResult
    public func continueWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?
    ) -> AWSTask<AnyObject> {
        proceed(on: executor.kind, ContinuationBlock(.value(block), token: nil, onSuccessOnly: false))
    }

    /// Runs a block on an executor after this task, whatever its outcome, unless a token is cancelled first.
    @_disfavoredOverload
    @discardableResult
    public func continueWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(on: executor.kind, ContinuationBlock(.value(block), token: cancellationToken, onSuccessOnly: false))
    }

    /// Runs a block after this task if it succeeds.
    ///
    /// - Parameter block: Called with this task. Its return value or error completes the returned task. Not called after a
    ///   fault or a cancellation, which the returned task takes over.
    /// - Returns: The task that the block completes.
    @_disfavoredOverload
    @discardableResult
    public func continueOnSuccessWith(block: @escaping (AWSTask<ResultType>) throws -> Any?) -> AWSTask<AnyObject> {
        proceed(on: .default, ContinuationBlock(.value(block), token: nil, onSuccessOnly: true))
    }

    /// Runs a block after this task if it succeeds, unless a token is cancelled first.
    ///
    /// - Parameters:
    ///   - block: Called with this task. Its return value or error completes the returned task.
    ///   - cancellationToken: Checked now, before the block runs, and again when a task that it returned completes. If it
    ///     is cancelled, the returned task is cancelled.
    /// - Returns: The task that the block completes.
    @_disfavoredOverload
    @discardableResult
    public func continueOnSuccessWith(
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(on: .default, ContinuationBlock(.value(block), token: cancellationToken, onSuccessOnly: true))
    }

    /// Runs a block on an executor after this task if it succeeds.
    @_disfavoredOverload
    @discardableResult
    public func continueOnSuccessWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?
    ) -> AWSTask<AnyObject> {
        proceed(on: executor.kind, ContinuationBlock(.value(block), token: nil, onSuccessOnly: true))
    }

    /// Runs a block on an executor after this task if it succeeds, unless a token is cancelled first.
    @_disfavoredOverload
    @discardableResult
    public func continueOnSuccessWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(on: executor.kind, ContinuationBlock(.value(block), token: cancellationToken, onSuccessOnly: true))
    }
}

/// The SDK's name of the blocks that continuations take.
public typealias AWSContinuationBlock = (AWSTask<AnyObject>) -> Any?

// Code for iOS writes the parameter of a block as `AWSTask<AnyObject>` whatever the type of the task is. These forms are for
// such blocks, with the same two kinds of results.

extension AWSAnyTask {
    /// Runs a block that takes an `AWSTask<AnyObject>` after a task of any type, whatever its outcome, and then waits for the
    /// task that the block returns. Otherwise the same as `AWSTask`'s method.
    @discardableResult
    public func continueWith<Next: AnyObject>(
        executor: AWSExecutor = .default(),
        block: @escaping (AWSTask<AnyObject>) throws -> AWSTask<Next>?,
        cancellationToken: AWSCancellationToken? = nil
    ) -> AWSTask<Next> {
        untyped.proceed(
            on: executor.kind,
            ContinuationBlock(.task(block), token: cancellationToken, onSuccessOnly: false)
        )
    }

    /// Runs a block that takes an `AWSTask<AnyObject>` after a task of any type if it succeeds, and then waits for the task
    /// that the block returns. Otherwise the same as `AWSTask`'s method.
    @discardableResult
    public func continueOnSuccessWith<Next: AnyObject>(
        executor: AWSExecutor = .default(),
        block: @escaping (AWSTask<AnyObject>) throws -> AWSTask<Next>?,
        cancellationToken: AWSCancellationToken? = nil
    ) -> AWSTask<Next> {
        untyped.proceed(
            on: executor.kind,
            ContinuationBlock(.task(block), token: cancellationToken, onSuccessOnly: true)
        )
    }

    /// Runs a block that takes an `AWSTask<AnyObject>` after a task of any type, whatever its outcome. Otherwise the same as
    /// `AWSTask`'s method.
    @_disfavoredOverload
    @discardableResult
    public func continueWith(
        executor: AWSExecutor = .default(),
        block: @escaping (AWSTask<AnyObject>) throws -> Any?,
        cancellationToken: AWSCancellationToken? = nil
    ) -> AWSTask<AnyObject> {
        untyped.proceed(
            on: executor.kind,
            ContinuationBlock(.value(block), token: cancellationToken, onSuccessOnly: false)
        )
    }

    /// Runs a block that takes an `AWSTask<AnyObject>` after a task of any type if it succeeds. Otherwise the same as
    /// `AWSTask`'s method.
    @_disfavoredOverload
    @discardableResult
    public func continueOnSuccessWith(
        executor: AWSExecutor = .default(),
        block: @escaping (AWSTask<AnyObject>) throws -> Any?,
        cancellationToken: AWSCancellationToken? = nil
    ) -> AWSTask<AnyObject> {
        untyped.proceed(
            on: executor.kind,
            ContinuationBlock(.value(block), token: cancellationToken, onSuccessOnly: true)
        )
    }

    private var untyped: AWSTask<AnyObject> { self as? AWSTask<AnyObject> ?? AWSTask<AnyObject>(self) }
}
