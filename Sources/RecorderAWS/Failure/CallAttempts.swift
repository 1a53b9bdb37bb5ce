import RecorderHTTP

/// What one call has tried so far, and what it does about the next failure. Pure: it decides, the caller acts.
struct CallAttempts {
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

    /// The kind of the last retry, for the refund after a success.
    private(set) var lastRetry: RetryDelay?

    private let maximumRetries: Int
    private var retries = 0
    private var unanswered = 0
    private var hasRenewed = false
    private var hasCorrected = false

    init(maximumRetries: Int) {
        self.maximumRetries = max(0, maximumRetries)
    }

    /// The step after a failure.
    mutating func step(after failure: ServiceFailure) -> Step {
        switch failure.kind {
        case .throttled:
            return retry(.throttling)
        case .transient:
            return retry(.transient)
        case .transport(let cause) where cause.mayPass && unanswered < 2:
            unanswered += 1
            return retry(.transient)
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

    private mutating func retry(_ delay: RetryDelay) -> Step {
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
