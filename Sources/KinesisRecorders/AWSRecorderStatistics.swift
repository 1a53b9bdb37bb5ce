import RecorderEngine
import RecorderStore

/// A recorder's counts at one instant: of all processes that share its file, since the file was created.
///
/// Always `saved == stored + delivered + evicted + expired + rejected + exhausted + removed`.
public struct AWSRecorderStatistics: Sendable, Hashable {
    /// Records on disk now.
    public let stored: Int
    /// Their size in bytes: `diskBytesUsed`.
    public let storedBytes: Int
    /// Records ever saved.
    public let saved: Int
    /// Records that the service accepted.
    public let delivered: Int
    /// Entries of requests in which these were delivered: what the service counts and bills as records. Fewer than `delivered` if
    /// records share entries (`aggregatesRecords`, `packsRecords`).
    public let entries: Int
    /// Failures after which a record was kept; a record counts each time it fails.
    public let retried: Int
    /// Records discarded for `diskByteLimit`.
    public let evicted: Int
    /// Records discarded for `diskAgeLimit`.
    public let expired: Int
    /// Records discarded because the service rejected them as invalid.
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
            entries: totals.entries,
            retried: totals.retried,
            evicted: totals.evicted,
            expired: totals.expired,
            rejected: totals.rejected,
            exhausted: totals.exhausted,
            removed: totals.cleared
        )
    }
}

/// The progress of a submit.
public struct AWSSubmitProgress: Sendable, Hashable {
    /// Records delivered since the submit began.
    public let recordsSent: Int
    /// Entries of requests in which these were delivered: what the service counts and bills as records.
    public let entriesSent: Int
    /// Their size on disk in bytes.
    public let bytesSent: Int
    /// Records still on disk, including those saved during the submit.
    public let recordsLeft: Int
    /// Their size in bytes.
    public let bytesLeft: Int
    /// Records delivered per second since the submit began.
    public let recordsPerSecond: Double
}

extension AWSSubmitProgress {
    init(_ progress: FlushProgress) {
        let seconds = progress.elapsed / .seconds(1)
        self.init(
            recordsSent: progress.delivered,
            entriesSent: progress.entries,
            bytesSent: progress.bytes,
            recordsLeft: progress.recordsLeft,
            bytesLeft: progress.bytesLeft,
            recordsPerSecond: seconds > 0 ? Double(progress.delivered) / seconds : 0
        )
    }
}
