public import Foundation
import RecorderAWS

/// How often a failed call is retried, and the delay before each retry.
public struct RetryStrategyOptions: Sendable {
    /// The delay before each retry.
    public var backoffStrategy: any RetryBackoffStrategy

    /// The maximum number of retries; 2 by default. `maxAttempts`, if set, takes precedence.
    public var maxRetriesBase: Int

    /// The tokens of a new client's retry quota; 500 by default, at least 0, at most `maxCapacity`.
    ///
    /// A retry costs 14 tokens, or 5 if the service throttles, and is not made if there are too few. A successful call
    /// gives back the cost of its last retry, or one token.
    public var availableCapacity: Int

    /// The maximum number of tokens in a client's retry quota; 500 by default, at least 0.
    public var maxCapacity: Int

    /// Has no effect: `adaptive` is the same as `standard`.
    public var rateLimitingMode: RateLimitingMode

    /// Whether a client limits its own rate of requests while the service throttles.
    public enum RateLimitingMode: Sendable {
        /// It does not. Only retries are delayed.
        case standard
        /// The same as `standard`; a client with this mode logs a warning, once in a process.
        case adaptive
    }

    /// Creates options.
    public init(
        backoffStrategy: any RetryBackoffStrategy = ExponentialBackoffStrategy(),
        maxRetriesBase: Int = 2,
        availableCapacity: Int = 500,
        maxCapacity: Int = 500,
        rateLimitingMode: RateLimitingMode = .standard
    ) {
        self.backoffStrategy = backoffStrategy
        self.maxRetriesBase = maxRetriesBase
        self.availableCapacity = availableCapacity
        self.maxCapacity = maxCapacity
        self.rateLimitingMode = rateLimitingMode
    }
}

/// The delay before each retry.
public protocol RetryBackoffStrategy: Sendable {
    /// Seconds to wait after the attempt with this number, counted from 0. Called from any thread.
    ///
    /// A value that is negative or not a number counts as 0, and one of more than a day as a day.
    func computeNextBackoffDelay(attempt: Int) -> TimeInterval
}

/// Delays that double: a random fraction of 50 ms, 100 ms, 200 ms and so on, up to 20 s; of 1 s, 2 s, 4 s if the
/// service throttles. A delay that the service asks for is respected.
public struct ExponentialBackoffStrategy: RetryBackoffStrategy {
    /// Creates the strategy.
    public init() {}

    /// A random fraction of the delay after the attempt with this number, in seconds.
    public func computeNextBackoffDelay(attempt: Int) -> TimeInterval {
        RetryDelay.transient.delay(beforeRetry: attempt, random: .random(in: 0..<1)) / .seconds(1)
    }
}

/// Which failures are retried.
public enum AWSRetryMode: String, Sendable {
    /// The same as `standard`.
    case legacy
    /// Temporary failures: throttling, HTTP 5xx, no answer. All calls of a client share a retry quota, so that retries
    /// do not add to the load of a failing service.
    case standard
    /// The same as `standard`; a client with this mode logs a warning, once in a process.
    case adaptive
}
