import RecorderHTTP

/// The retries of one call so far, and the decision after the next failure. Pure: it decides, the caller acts.
///
/// Several calls may share a value, so that together they retry no more often than one would.
package struct CallAttempts: Sendable {
    /// The next step.
    enum Step: Equatable {
        /// Pay for a retry, wait, send again.
        case retry(RetryDelay, number: Int)
        /// Renew the credentials, then send again immediately.
        case renewCredentials
        /// Use the service's time, then send again immediately.
        case correctClock
        /// The failure is final.
        case giveUp
    }

    /// The delay of the call's last retry, for the refund after a success.
    private(set) var lastRetry: RetryDelay?
    /// The last retry that was paid for between two calls, until it is refunded.
    var paidBetweenCalls: RetryDelay?

    private let maximumRetries: Int
    /// How often a request was sent again so far, after a delay.
    package private(set) var retries = 0
    private var unanswered = 0
    private var hasRenewed = false
    private var hasCorrected = false

    /// No retries yet.
    package init(maximumRetries: Int) {
        self.maximumRetries = max(0, maximumRetries)
    }

    /// Begins another one of the calls that share this value.
    mutating func beginCall() {
        lastRetry = nil
    }

    /// Whether the credentials may be renewed: once for a call.
    mutating func takeRenewal() -> Bool {
        defer { hasRenewed = true }
        return !hasRenewed
    }

    /// The step after a failure.
    mutating func step(after failure: ServiceFailure) -> Step {
        switch failure.kind {
        case .throttled:
            return retry(.throttling)
        case .transient:
            return retry(.transient)
        case .transport(let cause) where cause.isTransient:
            return retryUnanswered()
        case .clockSkew where !hasCorrected:
            hasCorrected = true
            return .correctClock
        case .expiredCredentials, .clockSkew:
            return takeRenewal() ? .renewCredentials : .giveUp
        default:
            return .giveUp
        }
    }

    /// The step after a missing or unreadable response.
    mutating func retryUnanswered() -> Step {
        guard unanswered < 2 else { return .giveUp }
        unanswered += 1
        return retry(.transient)
    }

    /// The step after a response that asks for a retry.
    mutating func retry(_ delay: RetryDelay) -> Step {
        guard retries < maximumRetries else { return .giveUp }
        lastRetry = delay
        defer { retries += 1 }
        return .retry(delay, number: retries)
    }
}

extension HTTPFailure {
    /// Whether the same request may succeed later.
    var isTransient: Bool {
        switch kind {
        case .nameNotResolved, .timedOut, .connectionLost, .responseTooLarge, .unreadableResponse: true
        case .invalidURL, .cannotConnect, .tls, .certificateUntrusted, .clientCertificate, .cancelled, .other: false
        }
    }
}
