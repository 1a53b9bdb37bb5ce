import RecorderConcurrency

/// What an operation takes. May be given to several calls.
open class AWSRequest: AWSModel {
    private struct Calls {
        var isCancelled = false
        var running: [Task<Void, Never>] = []
    }

    private let calls = Locked(Calls())

    /// Whether ``cancel()`` was called.
    public final var isCancelled: Bool { calls.withLock { $0.isCancelled } }

    /// Ends the calls with this request, now and later: their tasks fault with `NSURLErrorCancelled`. Any thread may call
    /// it. The service may have done its part.
    ///
    /// - Returns: A task that has succeeded.
    @discardableResult
    public final func cancel() -> AWSTask<AnyObject> {
        let running = calls.withLock { calls in
            calls.isCancelled = true
            defer { calls.running = [] }
            return calls.running
        }
        for call in running { call.cancel() }
        return AWSTask(result: nil)
    }

    /// Lets ``cancel()`` reach a call.
    package final func runs(in call: Task<Void, Never>) {
        let isLate = calls.withLock { calls in
            if !calls.isCancelled { calls.running.append(call) }
            return calls.isCancelled
        }
        if isLate { call.cancel() }
    }
}
