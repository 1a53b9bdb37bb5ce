/// How long to wait before something is tried again: AWS's standard mode as of 2026.
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
    /// After an answer, or none, that may be better next time.
    case transient
    /// After an answer that asks for fewer requests.
    case throttling

    /// The longest delay without a hint.
    package static let longest = Duration.seconds(20)

    /// The delay before retry `retry` (from 0), where `random` is from 0 to 1.
    ///
    /// A server's hint replaces it, but only within the delay and five seconds more.
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
