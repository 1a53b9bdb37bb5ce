public import Foundation

/// How often a call is tried again, and how long it waits before.
public struct RetryStrategyOptions: Sendable {
    /// The wait before each retry.
    public var backoffStrategy: any RetryBackoffStrategy

    /// How often a call is tried again at most; 2 by default. `maxAttempts`, where set, counts instead.
    public var maxRetriesBase: Int

    /// Options.
    public init(backoffStrategy: any RetryBackoffStrategy = ExponentialBackoffStrategy(), maxRetriesBase: Int = 2) {
        self.backoffStrategy = backoffStrategy
        self.maxRetriesBase = maxRetriesBase
    }
}

/// The wait before each retry.
public protocol RetryBackoffStrategy: Sendable {
    /// Seconds to wait after the attempt with this number, counted from 0. Called from any thread.
    ///
    /// What is negative or not a number counts as 0, and more than a day as a day.
    func computeNextBackoffDelay(attempt: Int) -> TimeInterval
}

/// Waits that double: a random part of 50 ms, 100 ms, 200 ms and so on, up to 20 s; where the service asks for fewer
/// requests, of 1 s, 2 s, 4 s. A delay that the service asks for is honoured.
public struct ExponentialBackoffStrategy: RetryBackoffStrategy {
    /// The strategy.
    public init() {}

    /// A random part of the wait after the attempt with this number, in seconds.
    public func computeNextBackoffDelay(attempt: Int) -> TimeInterval {
        RetryDelay.transient.delay(beforeRetry: attempt, random: .random(in: 0..<1)).seconds
    }
}

/// Which failures are tried again.
public enum AWSRetryMode: String, Sendable {
    /// The same as `standard`.
    case legacy
    /// Failures that may pass: throttling, 5xx, no answer. A quota shared by all calls of a client keeps retries from
    /// burying a service in trouble.
    case standard
}

extension Duration {
    fileprivate var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}
