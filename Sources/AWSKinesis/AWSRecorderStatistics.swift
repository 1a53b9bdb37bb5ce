import RecorderEngine

/// A recorder's counts at one instant, of all processes that share its file and since that file was made.
///
/// Always `saved == stored + delivered + evicted + expired + rejected + exhausted + removed`.
public struct AWSRecorderStatistics: Sendable, Hashable {
    /// Records on disk now.
    public let stored: Int
    /// What they take, in bytes: `diskBytesUsed`.
    public let storedBytes: Int
    /// Records ever saved.
    public let saved: Int
    /// Records that the service took.
    public let delivered: Int
    /// Failures of single records that were kept, each time.
    public let retried: Int
    /// Records discarded for `diskByteLimit`.
    public let evicted: Int
    /// Records discarded for `diskAgeLimit`.
    public let expired: Int
    /// Records discarded because the service called them invalid.
    public let rejected: Int
    /// Records discarded for `maximumFailures`.
    public let exhausted: Int
    /// Records removed by `removeAllRecords`.
    public let removed: Int
}

extension AWSAbstractKinesisRecorder {
    /// The counts as of the last completed save or submit. Reads the disk; nil if the store cannot be read.
    public var statistics: AWSRecorderStatistics? {
        guard let totals = try? pipeline.totals() else { return nil }
        return AWSRecorderStatistics(
            stored: totals.records,
            storedBytes: totals.bytes,
            saved: totals.saved,
            delivered: totals.delivered,
            retried: totals.retried,
            evicted: totals.evicted,
            expired: totals.expired,
            rejected: totals.rejected,
            exhausted: totals.exhausted,
            removed: totals.cleared
        )
    }
}
