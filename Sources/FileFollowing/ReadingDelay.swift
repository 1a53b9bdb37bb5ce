/// How long changed files wait before they are read, so that many lines are stored together: a value, without clock, disk or
/// network. A crash loses none of them, they are in their files.
///
/// | what was read last, of one file | the next change | waits |
/// |---|---|---|
/// | 256 KiB or more for each second between its change and the reading | at any time | 100 ms |
/// | less | within a second of the reading | 1 s |
/// | less | later | 250 ms |
///
/// If a file that grows fast is truncated in place, the lines that were not read are lost: they wait for a shorter time.
struct ReadingDelay: Sendable, Hashable {
    typealias Instant = ContinuousClock.Instant

    static let (first, steady, fast) = (Duration.milliseconds(250), Duration.seconds(1), Duration.milliseconds(100))
    private static let fastRate = 256.0 * 1_024

    /// When files were read last because they had changed.
    private var lastReading: Instant
    /// How long the change had waited then.
    private var waited = steady
    /// How many bytes were read of one file since, at most.
    private var growth = 0

    init(at now: Instant) { lastReading = now - Self.steady }

    /// So many bytes of one file were read, or were there to be read.
    mutating func note(bytes: Int) { growth = max(growth, bytes) }

    /// How long a change waits that is seen now.
    func length(at now: Instant) -> Duration {
        if Double(growth) >= Self.fastRate * (waited / .seconds(1)) { return Self.fast }
        return now - lastReading < Self.steady ? Self.steady : Self.first
    }

    /// The files are read now that had changed at an instant.
    mutating func read(changedAt change: Instant, at now: Instant) {
        (lastReading, waited, growth) = (now, now - change, 0)
    }
}
