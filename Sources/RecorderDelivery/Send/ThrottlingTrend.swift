/// Finds out whether a stream throttles less if less is sent to it. Pure.
///
/// A full shard does. But if a producer that takes no notice fills it, or one key is too frequent, the same share of the records
/// is throttled at any rate, and a sender that slowed down for each throttled record would come to a standstill.
struct ThrottlingTrend {
    /// Whether the last two decreases of the rate have left the share as it was. So another one would not help.
    private(set) var isIndependentOfRate = false

    /// The share is compared when the rate has decreased to this part.
    private static let decrease = 0.7
    /// A share below this is what it costs to learn a rate; above one half, the stream is mostly full.
    private static let shares = 0.03...0.5
    /// Two shares are alike if one is at most so many times the other: they are of some hundred records only.
    private static let likeness = 2.0

    /// What was accepted and throttled since the last comparison, in seconds of one shard.
    private var accepted = 0.0
    private var throttled = 0.0
    /// The rate at the last comparison, and the share before it.
    private var rate: Double?
    private var share: Double?

    init() {}

    private init(isIndependentOfRate: Bool, rate: Double, share: Double?) {
        self.isIndependentOfRate = isIndependentOfRate
        self.rate = rate
        self.share = share
    }

    /// Counts an answer.
    mutating func count(accepted: Double, throttled: Double) {
        self.accepted += accepted
        self.throttled += throttled
    }

    /// Compares, if the rate has decreased enough since the last time. `rate` is the one that was throttled.
    mutating func compare(at rate: Double) {
        guard let last = self.rate else {
            self = ThrottlingTrend(isIndependentOfRate: false, rate: rate, share: nil)
            return
        }
        // While the rate stays, it is compared after as many records as it accepts in some seconds.
        let isSampled = isIndependentOfRate && accepted + throttled > 4 * rate
        guard isSampled || rate <= last * Self.decrease else { return }
        let share = throttled / (accepted + throttled)
        let isLikeBefore = self.share.map { share <= $0 * Self.likeness && share >= $0 / Self.likeness } ?? false
        self = ThrottlingTrend(
            isIndependentOfRate: isLikeBefore && Self.shares.contains(share),
            rate: rate,
            share: share
        )
    }
}
