// The names of SDK 2.4 in Swift 3, and of Swift 2. Where a trailing closure matches two overloads, `continue(_:)` and
// `continue(with:with:)` are chosen.

extension AWSTask {
    /// An older name of ``continueWith(block:)``.
    @available(*, deprecated, renamed: "continueWith(block:)")
    @discardableResult
    public func `continue`(_ block: @escaping (AWSTask<ResultType>) throws -> Any?) -> AWSTask<AnyObject> {
        continueWith(block: block)
    }

    /// An older name of ``continueWith(block:cancellationToken:)``.
    @available(*, deprecated, renamed: "continueWith(block:cancellationToken:)")
    @discardableResult
    public func `continue`(
        _ block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        continueWith(block: block, cancellationToken: cancellationToken)
    }

    /// An older name of ``continueWith(executor:block:)``.
    @available(*, deprecated, renamed: "continueWith(executor:block:)")
    @discardableResult
    public func `continue`(with executor: AWSExecutor, with block: @escaping (AWSTask<ResultType>) throws -> Any?)
        -> AWSTask<AnyObject>
    {
        continueWith(executor: executor, block: block)
    }

    /// An older name of `continueWith(executor:block:cancellationToken:)`.
    @available(*, deprecated, renamed: "continueWith(executor:block:cancellationToken:)")
    @discardableResult
    public func `continue`(
        with executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        continueWith(executor: executor, block: block, cancellationToken: cancellationToken)
    }

    /// An older name of ``continueOnSuccessWith(block:)``.
    @available(*, deprecated, renamed: "continueOnSuccessWith(block:)")
    @_disfavoredOverload
    @discardableResult
    public func `continue`(successBlock block: @escaping (AWSTask<ResultType>) throws -> Any?) -> AWSTask<AnyObject> {
        continueOnSuccessWith(block: block)
    }

    /// An older name of ``continueOnSuccessWith(block:cancellationToken:)``.
    @available(*, deprecated, renamed: "continueOnSuccessWith(block:cancellationToken:)")
    @_disfavoredOverload
    @discardableResult
    public func `continue`(
        successBlock block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        continueOnSuccessWith(block: block, cancellationToken: cancellationToken)
    }

    /// An older name of ``continueOnSuccessWith(executor:block:)``.
    @available(*, deprecated, renamed: "continueOnSuccessWith(executor:block:)")
    @_disfavoredOverload
    @discardableResult
    public func `continue`(
        with executor: AWSExecutor,
        withSuccessBlock block: @escaping (AWSTask<ResultType>) throws -> Any?
    ) -> AWSTask<AnyObject> {
        continueOnSuccessWith(executor: executor, block: block)
    }

    /// An older name of `continueOnSuccessWith(executor:block:cancellationToken:)`.
    @available(*, deprecated, renamed: "continueOnSuccessWith(executor:block:cancellationToken:)")
    @_disfavoredOverload
    @discardableResult
    public func `continue`(
        with executor: AWSExecutor,
        successBlock block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        continueOnSuccessWith(executor: executor, block: block, cancellationToken: cancellationToken)
    }
}

extension AWSTask {
    /// An older name of ``continueWith(block:)``.
    @available(*, deprecated, renamed: "continueWith(block:)")
    @discardableResult
    public func continueWithBlock(_ block: @escaping (AWSTask<ResultType>) throws -> Any?) -> AWSTask<AnyObject> {
        continueWith(block: block)
    }

    /// An older name of ``continueWith(block:cancellationToken:)``.
    @available(*, deprecated, renamed: "continueWith(block:cancellationToken:)")
    @discardableResult
    public func continueWithBlock(
        _ block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        continueWith(block: block, cancellationToken: cancellationToken)
    }

    /// An older name of ``continueWith(executor:block:)``.
    @available(*, deprecated, renamed: "continueWith(executor:block:)")
    @discardableResult
    public func continueWithExecutor(
        _ executor: AWSExecutor,
        withBlock block: @escaping (AWSTask<ResultType>) throws -> Any?
    ) -> AWSTask<AnyObject> {
        continueWith(executor: executor, block: block)
    }

    /// An older name of `continueWith(executor:block:cancellationToken:)`.
    @available(*, deprecated, renamed: "continueWith(executor:block:cancellationToken:)")
    @discardableResult
    public func continueWithExecutor(
        _ executor: AWSExecutor,
        block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        continueWith(executor: executor, block: block, cancellationToken: cancellationToken)
    }

    /// An older name of ``continueOnSuccessWith(block:)``.
    @available(*, deprecated, renamed: "continueOnSuccessWith(block:)")
    @_disfavoredOverload
    @discardableResult
    public func continueWithSuccessBlock(_ block: @escaping (AWSTask<ResultType>) throws -> Any?) -> AWSTask<AnyObject>
    {
        continueOnSuccessWith(block: block)
    }

    /// An older name of ``continueOnSuccessWith(block:cancellationToken:)``.
    @available(*, deprecated, renamed: "continueOnSuccessWith(block:cancellationToken:)")
    @_disfavoredOverload
    @discardableResult
    public func continueWithSuccessBlock(
        _ block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        continueOnSuccessWith(block: block, cancellationToken: cancellationToken)
    }

    /// An older name of ``continueOnSuccessWith(executor:block:)``.
    @available(*, deprecated, renamed: "continueOnSuccessWith(executor:block:)")
    @_disfavoredOverload
    @discardableResult
    public func continueWithExecutor(
        _ executor: AWSExecutor,
        withSuccessBlock block: @escaping (AWSTask<ResultType>) throws -> Any?
    ) -> AWSTask<AnyObject> {
        continueOnSuccessWith(executor: executor, block: block)
    }

    /// An older name of `continueOnSuccessWith(executor:block:cancellationToken:)`.
    @available(*, deprecated, renamed: "continueOnSuccessWith(executor:block:cancellationToken:)")
    @_disfavoredOverload
    @discardableResult
    public func continueWithExecutor(
        _ executor: AWSExecutor,
        successBlock block: @escaping (AWSTask<ResultType>) throws -> Any?,
        cancellationToken: AWSCancellationToken?
    ) -> AWSTask<AnyObject> {
        continueOnSuccessWith(executor: executor, block: block, cancellationToken: cancellationToken)
    }
}
