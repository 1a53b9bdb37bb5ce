// The names of SDK 2.4 and earlier, and of Swift 2.

extension AWSAnyTask {
    /// An older name of ``isCompleted``.
    @available(*, deprecated, renamed: "isCompleted")
    public var completed: Bool { isCompleted }

    /// An older name of ``isFaulted``.
    @available(*, deprecated, renamed: "isFaulted")
    public var faulted: Bool { isFaulted }

    /// An older name of ``isCancelled``.
    @available(*, deprecated, renamed: "isCancelled")
    public var cancelled: Bool { isCancelled }
}

extension AWSTask {
    /// An older name of `cancelled()`.
    @available(*, deprecated, renamed: "cancelled()")
    public static func cancelledTask() -> AWSTask<ResultType> { AWSTask<ResultType>.cancelled() }

    /// An older name of `init(from:with:)`.
    @available(*, deprecated, renamed: "init(from:with:)")
    public convenience init(fromExecutor executor: AWSExecutor, withBlock block: (() throws -> Any?)?) {
        self.init(from: executor, with: block)
    }
}

extension AWSTask where ResultType == AnyObject {
    /// An older name of `cancelled()`.
    @available(*, deprecated, renamed: "cancelled()")
    public static func cancelledTask() -> AWSTask<AnyObject> { AWSTask<AnyObject>.cancelled() }

    /// An older name of `init(from:with:)`.
    @available(*, deprecated, renamed: "init(from:with:)")
    public convenience init(fromExecutor executor: AWSExecutor, withBlock block: (() throws -> Any?)?) {
        self.init(from: executor, with: block)
    }
}

extension AWSTaskCompletionSource {
    /// An older name of ``init()``.
    @available(*, deprecated, renamed: "init()")
    public static func taskCompletionSource() -> AWSTaskCompletionSource<ResultType> { AWSTaskCompletionSource() }

    /// An older name of `set(result:)`.
    @available(*, deprecated, renamed: "set(result:)")
    public func setResult(_ result: ResultType?) { set(result: result) }

    /// An older name of ``set(error:)``.
    @available(*, deprecated, renamed: "set(error:)")
    public func setError(_ error: any Error) { set(error: error) }

    /// An older name of ``cancel()``.
    @available(*, deprecated, renamed: "cancel()")
    public func setCancelled() { cancel() }

    /// An older name of `trySet(result:)`.
    @available(*, deprecated, renamed: "trySet(result:)")
    @discardableResult
    public func trySetResult(_ result: ResultType?) -> Bool { trySet(result: result) }

    /// An older name of ``trySet(error:)``.
    @available(*, deprecated, renamed: "trySet(error:)")
    @discardableResult
    public func trySetError(_ error: any Error) -> Bool { trySet(error: error) }
}

extension AWSTaskCompletionSource where ResultType == AnyObject {
    /// An older name of `set(result:)`.
    @available(*, deprecated, renamed: "set(result:)")
    @_disfavoredOverload
    public func setResult(_ result: Any?) { set(result: result) }

    /// An older name of `trySet(result:)`.
    @available(*, deprecated, renamed: "trySet(result:)")
    @_disfavoredOverload
    @discardableResult
    public func trySetResult(_ result: Any?) -> Bool { trySet(result: result) }
}

extension AWSExecutor {
    /// An older name of ``default()``.
    @available(*, deprecated, renamed: "default()")
    public static func defaultExecutor() -> AWSExecutor { .default() }

    /// An older name of ``immediate()``.
    @available(*, deprecated, renamed: "immediate()")
    public static func immediateExecutor() -> AWSExecutor { .immediate() }

    /// An older name of ``mainThread()``.
    @available(*, deprecated, renamed: "mainThread()")
    public static func mainThreadExecutor() -> AWSExecutor { .mainThread() }
}

extension AWSCancellationTokenSource {
    /// An older name of ``init()``.
    @available(*, deprecated, renamed: "init()")
    public static func cancellationTokenSource() -> AWSCancellationTokenSource { AWSCancellationTokenSource() }

    /// An older name of ``isCancellationRequested``.
    @available(*, deprecated, renamed: "isCancellationRequested")
    public var cancellationRequested: Bool { isCancellationRequested }

    /// An older name of ``cancel(afterDelay:)``.
    @available(*, deprecated, renamed: "cancel(afterDelay:)")
    public func cancelAfterDelay(_ delay: Int32) { cancel(afterDelay: delay) }
}

extension AWSCancellationToken {
    /// An older name of ``isCancellationRequested``.
    @available(*, deprecated, renamed: "isCancellationRequested")
    public var cancellationRequested: Bool { isCancellationRequested }

    /// An older name of ``registerCancellationObserver(_:)``.
    @available(*, deprecated, renamed: "registerCancellationObserver(_:)")
    @discardableResult
    public func registerCancellationObserverWithBlock(
        _ block: @escaping () -> Void
    ) -> AWSCancellationTokenRegistration {
        registerCancellationObserver(block)
    }
}
