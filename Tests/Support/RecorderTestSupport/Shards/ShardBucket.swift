/// The two token buckets of one shard: entries and bytes, each with the tokens of one second. Pure.
///
/// An entry that does not fit takes nothing, so a smaller later one may still fit.
package struct ShardBucket: Sendable {
    /// What one shard accepts in a second.
    package struct Limits: Sendable {
        package var entries = 1_000.0
        /// Data and partition keys.
        package var bytes = 1_048_576.0

        /// The limits of a shard of Kinesis.
        package init() {}
    }

    private let limits: Limits
    private var entries: Double
    private var bytes: Double
    private var refilled: ContinuousClock.Instant?

    /// A full bucket.
    package init(_ limits: Limits = Limits()) {
        self.limits = limits
        entries = limits.entries
        bytes = limits.bytes
    }

    /// Adds the tokens for the time since the last call, up to those of one second.
    package mutating func refill(at now: ContinuousClock.Instant) {
        defer { refilled = max(now, refilled ?? now) }
        guard let refilled, now > refilled else { return }
        let seconds = (now - refilled) / .seconds(1)
        entries = min(entries + limits.entries * seconds, limits.entries)
        bytes = min(bytes + limits.bytes * seconds, limits.bytes)
    }

    /// Takes the tokens for an entry; false, and nothing is taken, if there are not enough.
    package mutating func takes(_ size: Int) -> Bool {
        guard entries >= 1, bytes >= Double(size) else { return false }
        entries -= 1
        bytes -= Double(size)
        return true
    }
}
