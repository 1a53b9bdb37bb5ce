import RecorderConcurrency

/// The delay before a retry, as in the standard retry mode of the AWS SDKs of 2026.
///
/// The delay before retry *i*, counted from 0, is a random part of min(base x 2^i, 20 s):
///
/// | retry | transient, at most | throttling, at most |
/// |---|---|---|
/// | 0 | 50 ms | 1 s |
/// | 1 | 100 ms | 2 s |
/// | 2 | 200 ms | 4 s |
/// | 5 | 1.6 s | 20 s |
/// | 9 | 20 s | 20 s |
package enum RetryDelay: Sendable {
    /// After a temporary failure or a missing response.
    case transient
    /// After a response that asks for fewer requests.
    case throttling

    /// The longest delay without a hint from the service.
    package static let longest = Duration.seconds(20)

    /// The delay before retry `retry`, counted from 0; `random` is from 0 to 1.
    ///
    /// The service's hint replaces the delay, but is clamped to at least the delay and at most five seconds more.
    package func delay(beforeRetry retry: Int, random: Double, hint: Duration? = nil) -> Duration {
        let doublings = min(max(retry, 0), 16)
        let ceiling = min(base * (1 << doublings), Self.longest)
        let delay = ceiling * (random.isNaN ? 1 : min(max(random, 0), 1))
        guard let hint else { return delay }
        return min(max(hint, delay), delay + .seconds(5))
    }

    private var base: Duration {
        switch self {
        case .transient: .milliseconds(50)
        case .throttling: .seconds(1)
        }
    }
}

/// Limits the retries of one caller by tokens, so that a failing service is not overloaded with them.
///
/// A transient retry costs 14 tokens, a throttled one 5. A success refunds the cost of its call's last retry, or one token if
/// there was none. Safe to use from any thread.
package final class RetryQuota: Sendable {
    /// The default for the initial and for the maximum number of tokens.
    package static let capacity = 500

    private let capacity: Int
    private let tokens: Locked<Int>

    /// A quota with all its tokens, or with fewer if `available` is less than `capacity`.
    package init(available: Int = RetryQuota.capacity, capacity: Int = RetryQuota.capacity) {
        self.capacity = max(0, capacity)
        tokens = Locked(min(max(0, available), self.capacity))
    }

    /// The number of tokens left.
    package var available: Int { tokens.withLock { $0 } }

    /// Pays for one retry. Returns false, and takes nothing, if there are not enough tokens.
    package func pay(for delay: RetryDelay) -> Bool {
        let cost = Self.cost(of: delay)
        return tokens.withLock { tokens in
            guard tokens >= cost else { return false }
            tokens -= cost
            return true
        }
    }

    /// Refunds tokens after a success; `lastRetry` is the delay of the call's last retry.
    package func refund(_ lastRetry: RetryDelay?) {
        let amount = lastRetry.map(Self.cost) ?? 1
        tokens.withLock { $0 += min(amount, capacity - $0) }
    }

    private static func cost(of delay: RetryDelay) -> Int {
        switch delay {
        case .transient: 14
        case .throttling: 5
        }
    }
}
