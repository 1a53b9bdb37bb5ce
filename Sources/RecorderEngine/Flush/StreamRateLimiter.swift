/// How fast a stream takes records, as its answers tell; one that throttles gets its batches no faster. Pure.
///
/// A shard has an allowance that grows by so many records a second, and throttles record by record once it is used up. At
/// an answer that throttled it was used up, so what was taken between two of those, by the time between them, is the
/// shard's rate. Until then nothing waits. What is sent again has delays of its own; here their time only counts.
package struct StreamRateLimiter {
    /// The longest wait: a shard saves up a second's allowance at most, so a longer one would gain nothing.
    package static let longestWait = Duration.seconds(1)
    /// How much of the time that passed unused still counts; half of what a shard saves up.
    private static let savedUp = Duration.milliseconds(500)
    /// Each batch waits for that much higher a rate than the one before, until an answer throttles again.
    private static let speedUp = 1.1

    private var recordsPerSecond: Double?
    private var lastThrottled: ContinuousClock.Instant?
    private var takenSince = 0
    /// When the allowance will be used up by what was sent.
    private var usedUp: ContinuousClock.Instant?

    package init() {}

    /// How long a batch of so many records waits before it is sent for the first time, now.
    package mutating func wait(before records: Int, at now: ContinuousClock.Instant) -> Duration {
        guard let rate = recordsPerSecond, let last = usedUp else { return .zero }
        let next = min(max(last, now - Self.savedUp) + .seconds(Double(records) / rate), now + Self.longestWait)
        usedUp = next
        recordsPerSecond = rate * Self.speedUp
        return max(next - now, .zero)
    }

    /// Learns from the answer to a batch or a part of one.
    package mutating func answered(taken: Int, throttled: Bool, at now: ContinuousClock.Instant) {
        takenSince += taken
        guard throttled else { return }
        if let lastThrottled, takenSince > 0, now > lastThrottled {
            recordsPerSecond = Double(takenSince) / ((now - lastThrottled) / .seconds(1))
        }
        lastThrottled = now
        takenSince = 0
        usedUp = now
    }
}
