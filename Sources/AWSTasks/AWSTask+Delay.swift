import Foundation

extension AWSTask {
    /// A task that succeeds with nil after a delay, on a global queue.
    ///
    /// - Parameter delay: Milliseconds; a negative value counts as 0.
    public convenience init(delay: Int32) {
        self.init(delay: delay, cancellationToken: nil)
    }

    /// A task that succeeds with nil after a delay, unless a token is cancelled.
    ///
    /// - Parameters:
    ///   - delay: Milliseconds; a negative value counts as 0.
    ///   - cancellationToken: Checked now and after the delay. If it is cancelled, the task is cancelled.
    public convenience init(delay: Int32, cancellationToken: AWSCancellationToken?) {
        self.init()
        start(delay: delay, cancellationToken)
    }

    private func start(delay: Int32, _ token: AWSCancellationToken?) {
        if let token, token.wasCancelled {
            complete(.cancelled)
            return
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(max(0, delay)))) {
            self.complete(TaskOutcome.succeeded(nil).forwarded(under: token))
        }
    }
}

// The same without a result type.
extension AWSTask where ResultType == AnyObject {
    /// A task that succeeds with nil after a delay, on a global queue.
    ///
    /// - Parameter delay: Milliseconds; a negative value counts as 0.
    public convenience init(delay: Int32) {
        self.init(delay: delay, cancellationToken: nil)
    }

    /// A task that succeeds with nil after a delay, unless a token is cancelled.
    ///
    /// - Parameters:
    ///   - delay: Milliseconds; a negative value counts as 0.
    ///   - cancellationToken: Checked now and after the delay. If it is cancelled, the task is cancelled.
    public convenience init(delay: Int32, cancellationToken: AWSCancellationToken?) {
        self.init()
        start(delay: delay, cancellationToken)
    }
}
