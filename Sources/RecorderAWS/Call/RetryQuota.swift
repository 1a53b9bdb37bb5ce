import RecorderConcurrency

/// The tokens that retries are paid with, so that a service in trouble is not buried in them.
///
/// One bucket a caller: 500 tokens, 14 for a transient retry and 5 for a throttled one. A success gives back what the
/// last retry of its call cost, or one token if there was none. Safe to use from any thread.
package final class RetryQuota: Sendable {
    /// The tokens of a full bucket.
    package static let capacity = 500

    private let tokens = Locked(RetryQuota.capacity)

    /// A full bucket.
    package init() {}

    /// How many tokens are left.
    package var available: Int { tokens.withLock { $0 } }

    /// Pays for one retry; false, with nothing taken, when there is not enough.
    package func pay(for delay: RetryDelay) -> Bool {
        let cost = Self.cost(of: delay)
        return tokens.withLock { tokens in
            guard tokens >= cost else { return false }
            tokens -= cost
            return true
        }
    }

    /// Gives tokens back after a success, whose call's last retry was of this kind.
    package func refund(_ lastRetry: RetryDelay?) {
        let amount = lastRetry.map(Self.cost) ?? 1
        tokens.withLock { $0 = min($0 + amount, Self.capacity) }
    }

    private static func cost(of delay: RetryDelay) -> Int {
        switch delay {
        case .transient: 14
        case .throttling: 5
        }
    }
}
