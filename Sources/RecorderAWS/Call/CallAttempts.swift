import RecorderHTTP

/// What one piece of work has tried so far, and what it does about the next failure. Pure: it decides, the caller acts.
///
/// Usually that is one call. Several calls may share a value, so that together they retry no more often than one would.
package struct CallAttempts: Sendable {
    /// The next step.
    enum Step: Equatable {
        /// Pay, wait, send again.
        case retry(RetryDelay, number: Int)
        /// Get other keys, then send again at once.
        case renewCredentials
        /// Set the clock by the service's, then send again at once.
        case correctClock
        /// The failure is final.
        case giveUp
    }

    /// The kind of the call's last retry, for the refund after a success.
    private(set) var lastRetry: RetryDelay?

    private let maximumRetries: Int
    private var retries = 0
    private var unanswered = 0
    private var hasRenewed = false
    private var hasCorrected = false

    /// Nothing tried yet.
    package init(maximumRetries: Int) {
        self.maximumRetries = max(0, maximumRetries)
    }

    /// Another of the calls that share this value begins.
    mutating func beginCall() {
        lastRetry = nil
    }

    /// The step after a failure.
    mutating func step(after failure: ServiceFailure) -> Step {
        switch failure.kind {
        case .throttled:
            return retry(.throttling)
        case .transient:
            return retry(.transient)
        case .transport(let cause) where cause.mayPass:
            return retryUnanswered()
        case .expiredCredentials where !hasRenewed:
            hasRenewed = true
            return .renewCredentials
        case .clockSkew where !hasCorrected:
            hasCorrected = true
            return .correctClock
        default:
            return .giveUp
        }
    }

    /// The step after an answer of success that proves as little as none.
    mutating func retryUnanswered() -> Step {
        guard unanswered < 2 else { return .giveUp }
        unanswered += 1
        return retry(.transient)
    }

    /// The step after an answer that asks for another try.
    mutating func retry(_ delay: RetryDelay) -> Step {
        guard retries < maximumRetries else { return .giveUp }
        lastRetry = delay
        defer { retries += 1 }
        return .retry(delay, number: retries)
    }
}

extension HTTPFailure {
    /// Whether the same request can succeed a moment later.
    var mayPass: Bool {
        switch kind {
        case .nameNotResolved, .timedOut, .connectionLost, .responseTooLarge, .unreadableResponse: true
        case .invalidURL, .cannotConnect, .tls, .certificateUntrusted, .cancelled, .other: false
        }
    }
}
