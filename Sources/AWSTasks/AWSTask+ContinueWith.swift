extension AWSTask {
    /// Runs a block after this task, whatever its outcome.
    ///
    /// - Parameter block: Called with this task. Its return value or error completes the returned task. Returning nil after
    ///   a fault clears the fault for the rest of the chain.
    /// - Returns: The task that the block completes.
    @discardableResult
    public func continueWith(block: @escaping (AWSTask<ResultType>) throws -> Any?) -> AWSTask<AnyObject> {
        proceed(on: .default, ContinuationBlock(block: block, token: nil, onSuccessOnly: false))
    }

    /// Runs a block after this task, whatever its outcome, unless a token is cancelled first.
    ///
    /// - Parameters:
    ///   - block: Called with this task. Its return value or error completes the returned task.
    ///   - cancellationToken: Checked before the block runs, and again when a task that it returned completes. If it is
    ///     cancelled, the returned task is cancelled.
    /// - Returns: The task that the block completes.
    @discardableResult
    public func continueWith(
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(on: .default, ContinuationBlock(block: block, token: cancellationToken, onSuccessOnly: false))
    }

    /// Runs a block on an executor after this task, whatever its outcome.
    @discardableResult
    public func continueWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?
    ) -> AWSTask<AnyObject> {
        proceed(on: executor.kind, ContinuationBlock(block: block, token: nil, onSuccessOnly: false))
    }

    /// Runs a block on an executor after this task, whatever its outcome, unless a token is cancelled first.
    @discardableResult
    public func continueWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(on: executor.kind, ContinuationBlock(block: block, token: cancellationToken, onSuccessOnly: false))
    }

    /// Runs a block after this task if it succeeds.
    ///
    /// - Parameter block: Called with this task. Its return value or error completes the returned task. Not called after a
    ///   fault or a cancellation, which the returned task takes over.
    /// - Returns: The task that the block completes.
    @discardableResult
    public func continueOnSuccessWith(block: @escaping (AWSTask<ResultType>) throws -> Any?) -> AWSTask<AnyObject> {
        proceed(on: .default, ContinuationBlock(block: block, token: nil, onSuccessOnly: true))
    }

    /// Runs a block after this task if it succeeds, unless a token is cancelled first.
    ///
    /// - Parameters:
    ///   - block: Called with this task. Its return value or error completes the returned task.
    ///   - cancellationToken: Checked now, before the block runs, and again when a task that it returned completes. If it
    ///     is cancelled, the returned task is cancelled.
    /// - Returns: The task that the block completes.
    @discardableResult
    public func continueOnSuccessWith(
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(on: .default, ContinuationBlock(block: block, token: cancellationToken, onSuccessOnly: true))
    }

    /// Runs a block on an executor after this task if it succeeds.
    @discardableResult
    public func continueOnSuccessWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?
    ) -> AWSTask<AnyObject> {
        proceed(on: executor.kind, ContinuationBlock(block: block, token: nil, onSuccessOnly: true))
    }

    /// Runs a block on an executor after this task if it succeeds, unless a token is cancelled first.
    @discardableResult
    public func continueOnSuccessWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(on: executor.kind, ContinuationBlock(block: block, token: cancellationToken, onSuccessOnly: true))
    }

    private func proceed(on executor: ExecutorKind, _ block: ContinuationBlock<ResultType>) -> AWSTask<AnyObject> {
        if block.onSuccessOnly, let token = block.token, token.wasCancelled {
            return AWSTask<AnyObject>(.cancelled)
        }
        if isCompleted, executor.canRunInline {
            return block.start(after: self)
        }
        let child = AWSTask<AnyObject>()
        then(BlockContinuation(child: child, executor: executor, block: block))
        return child
    }
}
