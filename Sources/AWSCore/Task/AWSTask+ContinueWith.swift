extension AWSTask {
    /// Runs a block after this task, whatever its outcome.
    ///
    /// - Parameter block: Given this task; what it returns or throws completes the returned task. A block that returns nil
    ///   after a fault clears the fault for the rest of the chain.
    /// - Returns: The task that the block completes.
    @discardableResult
    public func continueWith(block: @escaping (AWSTask<ResultType>) throws -> Any?) -> AWSTask<AnyObject> {
        proceed(.whileStackLasts, BlockStep(block: block, token: nil, onSuccessOnly: false))
    }

    /// Runs a block after this task, whatever its outcome, unless a token is cancelled before.
    ///
    /// - Parameters:
    ///   - block: Given this task; what it returns or throws completes the returned task.
    ///   - cancellationToken: When cancelled by the time the block's turn comes, the returned task is cancelled instead;
    ///     when cancelled by the time a task that the block returned completes, too.
    /// - Returns: The task that the block completes.
    @discardableResult
    public func continueWith(
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(.whileStackLasts, BlockStep(block: block, token: cancellationToken, onSuccessOnly: false))
    }

    /// Runs a block on an executor after this task, whatever its outcome.
    @discardableResult
    public func continueWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?
    ) -> AWSTask<AnyObject> {
        proceed(executor.place, BlockStep(block: block, token: nil, onSuccessOnly: false))
    }

    /// Runs a block on an executor after this task, whatever its outcome, unless a token is cancelled before.
    @discardableResult
    public func continueWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(executor.place, BlockStep(block: block, token: cancellationToken, onSuccessOnly: false))
    }

    /// Runs a block after this task if it succeeds.
    ///
    /// - Parameter block: Given this task; what it returns or throws completes the returned task. Skipped after a fault or
    ///   a cancellation: the returned task then ends as this one did.
    /// - Returns: The task that the block completes.
    @discardableResult
    public func continueOnSuccessWith(block: @escaping (AWSTask<ResultType>) throws -> Any?) -> AWSTask<AnyObject> {
        proceed(.whileStackLasts, BlockStep(block: block, token: nil, onSuccessOnly: true))
    }

    /// Runs a block after this task if it succeeds, unless a token is cancelled before.
    ///
    /// - Parameters:
    ///   - block: Given this task; what it returns or throws completes the returned task.
    ///   - cancellationToken: When cancelled already, the returned task is cancelled at once; when cancelled by the time
    ///     the block's turn comes, or a task that the block returned completes, it is cancelled then.
    /// - Returns: The task that the block completes.
    @discardableResult
    public func continueOnSuccessWith(
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(.whileStackLasts, BlockStep(block: block, token: cancellationToken, onSuccessOnly: true))
    }

    /// Runs a block on an executor after this task if it succeeds.
    @discardableResult
    public func continueOnSuccessWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?
    ) -> AWSTask<AnyObject> {
        proceed(executor.place, BlockStep(block: block, token: nil, onSuccessOnly: true))
    }

    /// Runs a block on an executor after this task if it succeeds, unless a token is cancelled before.
    @discardableResult
    public func continueOnSuccessWith(
        executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        proceed(executor.place, BlockStep(block: block, token: cancellationToken, onSuccessOnly: true))
    }

    private func proceed(_ place: ExecutionPlace, _ step: BlockStep<ResultType>) -> AWSTask<AnyObject> {
        if step.onSuccessOnly, let token = step.token, token.wasCancelled {
            return AWSTask<AnyObject>(.cancelled)
        }
        if isCompleted, place.isHere {
            return step.start(after: self)
        }
        let child = AWSTask<AnyObject>()
        then(BlockContinuation(child: child, place: place, step: step))
        return child
    }
}
