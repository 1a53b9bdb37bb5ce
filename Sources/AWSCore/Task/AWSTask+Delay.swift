import Foundation

extension AWSTask {
    /// A task that succeeds with nil after a while, on a global queue.
    ///
    /// - Parameter delay: Milliseconds; below 0 counts as 0.
    public convenience init(delay: Int32) {
        self.init(delay: delay, cancellationToken: nil)
    }

    /// A task that succeeds with nil after a while, unless a token is cancelled.
    ///
    /// - Parameters:
    ///   - delay: Milliseconds; below 0 counts as 0.
    ///   - cancellationToken: Looked at twice: cancelled now, the task is cancelled at once; cancelled when the time is
    ///     over, it is cancelled then.
    public convenience init(delay: Int32, cancellationToken: AWSCancellationToken?) {
        self.init()
        elapse(delay, cancellationToken)
    }

    private func elapse(_ delay: Int32, _ token: AWSCancellationToken?) {
        if let token, token.wasCancelled {
            complete(.cancelled)
            return
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(max(0, delay)))) {
            self.complete(TaskOutcome.succeeded(nil).adopted(under: token))
        }
    }
}

// The same where the result type is not written out.
extension AWSTask where ResultType == AnyObject {
    /// A task that succeeds with nil after a while, on a global queue.
    ///
    /// - Parameter delay: Milliseconds; below 0 counts as 0.
    public convenience init(delay: Int32) {
        self.init(delay: delay, cancellationToken: nil)
    }

    /// A task that succeeds with nil after a while, unless a token is cancelled.
    ///
    /// - Parameters:
    ///   - delay: Milliseconds; below 0 counts as 0.
    ///   - cancellationToken: Looked at now and when the time is over.
    public convenience init(delay: Int32, cancellationToken: AWSCancellationToken?) {
        self.init()
        elapse(delay, cancellationToken)
    }
}
