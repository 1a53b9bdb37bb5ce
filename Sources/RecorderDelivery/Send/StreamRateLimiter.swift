import Glibc
package import RecorderStore

/// Learns from the answers how much a stream accepts, and paces requests to a stream that throttles. Pure.
///
/// A shard of Kinesis accepts 1,000 entries and 1 MiB a second. Its token buckets hold one second of both, and entry by entry it
/// throttles what does not fit. Rates are measured in shards, so that what was learned with large records holds for small ones.
///
/// Until an answer throttles, nothing is delayed and no request is made smaller. The first rate is what the stream accepted until
/// then, with its buckets full at first. From then on, an answer that throttles sets the rate to what was accepted since the one
/// before, or lower by the share that the answer throttled, and 1.5 % less; in between, the rate increases by a constant amount
/// a second. Devices that share a stream converge to equal rates by that alone. They pace differently at random, and send small
/// requests while their rates are low. After five seconds without throttling the rate increases faster and faster: ten times after
/// half a minute. While retries accept nothing although the stream accepts most other records, one of its shards is full: the rate
/// and the size of requests stay, because less for the other shards would not help that one. A stream that throttles the same share
/// at lower rates is slowed down no further, see ``ThrottlingTrend``. With an order per key, requests hold a record of each key and
/// wait for each other: as long as the stream accepts most of them, they are slower than any rate that could be learned.
package struct StreamRateLimiter: Sendable {
    /// The longest delay before a request.
    package static let longestDelay = Duration.seconds(20)
    /// The smallest limit of a request, in seconds of one shard: 20 entries or 20 KiB. A single larger entry is still sent.
    private static let smallestRequest = 0.02
    /// The rate of a stream that has accepted nothing yet, in shards.
    private static let firstRate = 0.02
    /// The smallest request within the longest delay.
    private static let slowestRate = 0.001
    /// The additive increase, in shards a second: an entry a second more each second. At most this share of the rate,
    /// and this share while a lower rate does not help.
    private static let increase = 0.001
    private static let largestIncrease = 0.03
    /// What is left of the rate after throttling.
    private static let decrease = 0.985
    /// The largest decrease by one answer.
    private static let largestDecrease = 4.0
    /// Answers within this time after one that throttled are about the same shortage, such as those of requests that were in
    /// flight together.
    private static let sameShortage = 0.5
    /// Rates measured over less than this are too random to rely on.
    private static let reliable = 4.0
    /// Without throttling for longer than this, the rate doubles after another `doubling`, and so on by the square of that time.
    private static let quiet = 5.0
    private static let doubling = 16.0
    /// After this time without throttling, the rate is higher than any stream's.
    private static let forgotten = Duration.seconds(60)
    /// Unused time that counts for the next request: as much as a bucket holds.
    private static let burst = Duration.seconds(1)
    /// Delays are up to this much shorter or longer, at random.
    private static let jitter = 0.1

    /// In shards, when the stream throttled last.
    private var rate: Double?
    private var throttledAt: ContinuousClock.Instant?
    private var acceptedSince = StreamLoad()
    private var trend = ThrottlingTrend()
    /// The last answer to a request that was no retry.
    private var fresh = (accepted: StreamLoad(), throttled: StreamLoad())
    /// What that request held, while its throttled records stay throttled although the stream accepts most others: one shard is
    /// full, and sending less would not help.
    private var held: StreamLoad?
    /// Seconds since then in which more could have been sent.
    private var idle = 0.0
    /// What was throttled of the last requests that were no retries, each counting a tenth less than the next one.
    private var throttledShare = 0.0
    /// Whether requests wait for each other because of an order.
    var isOrdered: Bool
    private var startedAt: ContinuousClock.Instant?
    /// When the tokens for everything that was sent will have arrived.
    private var nextFree: ContinuousClock.Instant?

    package init(isOrdered: Bool = false) {
        self.isOrdered = isOrdered
    }

    /// What requests wait for after an answer that throttled.
    package enum Pace: Sendable {
        /// The rate that the stream accepts.
        case rate
        /// Each other only: there is an order, and the stream accepts most.
        case order
    }

    /// Decided by the last requests that were no retries.
    package var pace: Pace { isOrdered && throttledShare < 0.5 ? .order : .rate }

    /// The delay before a request; `random` is from 0 to 1.
    package mutating func delay(
        before load: StreamLoad,
        at now: ContinuousClock.Instant,
        random: Double
    ) -> Duration {
        startedAt = startedAt ?? now
        guard let rate = rate(at: now), let last = nextFree else { return .zero }
        idle += max((now - Self.burst - last) / .seconds(1), 0)
        let wait = Self.shardSeconds(load) / rate * (1 + Self.jitter * (2 * random - 1))
        let next = min(max(last, now - Self.burst) + .seconds(min(wait, 3_600)), now + Self.longestDelay)
        nextFree = next
        return max(next - now, .zero)
    }

    /// The most that a request should hold: what the stream accepts in a second, and at most `room`. nil for a stream that does not
    /// throttle, without that.
    package func largestRequest(at now: ContinuousClock.Instant, within room: StreamLoad? = nil) -> StreamLoad? {
        guard let rate = rate(at: now) else { return room }
        let seconds = min(max(rate, Self.smallestRequest), 1_000)
        let load = StreamLoad(
            entries: max(Int(seconds * StreamLoad.shardSecond.entries), held?.entries ?? 0),
            bytes: max(Int(seconds * StreamLoad.shardSecond.bytes), held?.bytes ?? 0)
        )
        return StreamLoad.smaller(of: load, and: room)
    }

    /// Learns from the answer to a request. A retry holds only records that were throttled before.
    package mutating func answered(
        accepted: StreamLoad,
        throttled: StreamLoad,
        isRetry: Bool = false,
        at now: ContinuousClock.Instant
    ) {
        acceptedSince += accepted
        trend.count(accepted: Self.shardSeconds(accepted), throttled: Self.shardSeconds(throttled))
        if isRetry ? accepted.entries > 0 : throttled.entries == 0 { held = nil }
        if !isRetry {
            fresh = (accepted, throttled)
            let (taken, refused) = (Self.shardSeconds(accepted), Self.shardSeconds(throttled))
            if taken + refused > 0 { throttledShare += 0.1 * (refused / (taken + refused) - throttledShare) }
        }
        guard throttled.entries > 0 else { return }
        if pace == .order { return }
        let acceptedMost = Self.shardSeconds(fresh.accepted) > Self.shardSeconds(fresh.throttled)
        if isRetry, accepted.entries == 0, acceptedMost { held = fresh.accepted + fresh.throttled }
        if held != nil, acceptedMost, let current = rate(at: now) { return learn(current, at: now) }
        nextFree = max(nextFree ?? now, now)
        guard let throttledAt, let current = rate(at: now) else {
            let seconds = (now - (startedAt ?? now)) / .seconds(1)
            return learn(max(Self.shardSeconds(acceptedSince) / (seconds + 1), Self.firstRate), at: now)
        }
        let seconds = (now - throttledAt) / .seconds(1)
        guard seconds > Self.sameShortage else { return }
        trend.compare(at: current)
        if trend.isIndependentOfRate { return learn(current, at: now) }
        let measured = Self.shardSeconds(acceptedSince) / max(seconds - idle, Self.sameShortage)
        let share = Self.shardSeconds(accepted) / (Self.shardSeconds(accepted) + Self.shardSeconds(throttled))
        let least = seconds < Self.reliable ? current * share : 0
        let next = min(max(measured, least, current / Self.largestDecrease), current) * Self.decrease
        learn(max(next, Self.slowestRate), at: now)
    }

    private mutating func learn(_ rate: Double, at now: ContinuousClock.Instant) {
        self.rate = rate
        throttledAt = now
        nextFree = now
        acceptedSince = StreamLoad()
        idle = 0
    }

    /// Whether the stream throttled so recently that a later flush should pace its requests, too.
    func isPacing(at now: ContinuousClock.Instant) -> Bool {
        throttledAt.map { now - $0 < Self.forgotten } ?? false
    }

    private func rate(at now: ContinuousClock.Instant) -> Double? {
        guard let rate, let throttledAt else { return nil }
        let seconds = max((now - throttledAt) / .seconds(1), 0)
        let doublings = min(max(seconds - Self.quiet, 0) / Self.doubling, 10)
        let largest = Self.largestIncrease * rate
        let increase = trend.isIndependentOfRate ? largest : min(largest, Self.increase)
        return (rate + increase * seconds) * exp2(doublings * doublings)
    }

    /// How long one shard takes to accept a load.
    private static func shardSeconds(_ load: StreamLoad) -> Double {
        max(
            Double(load.entries) / StreamLoad.shardSecond.entries,
            Double(load.bytes) / StreamLoad.shardSecond.bytes
        )
    }
}

extension StreamLoad {
    /// What a shard of Kinesis accepts in a second.
    fileprivate static let shardSecond = (entries: 1_000.0, bytes: 1_048_576.0)
}
