/// The result of `record`: the record is on disk, or was dropped because the client is disabled.
public struct RecordData: Sendable {
    /// Creates a result.
    public init() {}
}

/// The result of `flush` and `drain`.
public struct FlushData: Sendable {
    /// The number of records that the service accepted during this flush.
    public let recordsFlushed: Int

    /// Entries of requests in which these were delivered: what the service counts and bills as records. Fewer than
    /// `recordsFlushed` if records share entries (`aggregatesRecords`, `packsRecords`).
    public let entriesFlushed: Int

    /// True if nothing was done, because another flush of the same cache was in progress: of this client, or of another
    /// one for the same region, in this process or another.
    public let flushInProgress: Bool

    /// Creates a result. Without `entriesFlushed`, each record has an entry of its own.
    public init(recordsFlushed: Int, flushInProgress: Bool = false, entriesFlushed: Int? = nil) {
        self.recordsFlushed = recordsFlushed
        self.entriesFlushed = entriesFlushed ?? recordsFlushed
        self.flushInProgress = flushInProgress
    }
}

/// The result of `clearCache`.
public struct ClearCacheData: Sendable {
    /// The number of records that were deleted without being sent.
    public let recordsCleared: Int

    /// Creates a result.
    public init(recordsCleared: Int) {
        self.recordsCleared = recordsCleared
    }
}
