/// Learns from the answers how fast a stream accepts records, and delays batches to a stream that throttles. Pure.
///
/// A shard has a token bucket that refills at its rate, and throttles record by record once it is empty. After an answer that
/// throttled, the bucket is empty, so the records accepted between two such answers, divided by the time between them, are the
/// shard's rate. Until two were seen, nothing is delayed. Delays of retries are separate; here they only count as elapsed time.
package struct StreamRateLimiter {
    /// The longest delay: a bucket holds the tokens of one second, so waiting longer would gain nothing.
    package static let longestDelay = Duration.seconds(1)
    /// The unused time that still counts as tokens; half of what a bucket holds.
    private static let burst = Duration.milliseconds(500)
    /// Each batch assumes a rate 10 % higher than the one before, until an answer throttles again.
    private static let speedUp = 1.1

    private var recordsPerSecond: Double?
    private var lastThrottled: ContinuousClock.Instant?
    private var acceptedSince = 0
    /// When the tokens for everything that was sent will have arrived.
    private var nextFree: ContinuousClock.Instant?

    package init() {}

    /// The delay before a batch of `records` records is sent for the first time.
    package mutating func delay(before records: Int, at now: ContinuousClock.Instant) -> Duration {
        guard let rate = recordsPerSecond, let last = nextFree else { return .zero }
        let next = min(max(last, now - Self.burst) + .seconds(Double(records) / rate), now + Self.longestDelay)
        nextFree = next
        recordsPerSecond = rate * Self.speedUp
        return max(next - now, .zero)
    }

    /// Learns from the answer to a batch or a part of one.
    package mutating func answered(accepted: Int, isThrottled: Bool, at now: ContinuousClock.Instant) {
        acceptedSince += accepted
        guard isThrottled else { return }
        if let lastThrottled, acceptedSince > 0, now > lastThrottled {
            recordsPerSecond = Double(acceptedSince) / ((now - lastThrottled) / .seconds(1))
        }
        lastThrottled = now
        acceptedSince = 0
        nextFree = now
    }
}
