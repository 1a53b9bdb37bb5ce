/// Something that happened to cached records, as delivered by a client's `events()`. Contains counts and names, never a
/// record. A stream's name is the text that was given to `record`: its name or its ARN.
///
/// Cases may be added: end a `switch` with `default`.
public enum RecordEvent: Sendable, Equatable {
    /// The service accepted records of a stream.
    case delivered(records: Int, streamName: String)

    /// Records of a stream failed and stay in the cache for the next flush. The reason is the service's own.
    case retried(records: Int, streamName: String, reason: String)

    /// Records left the cache without being delivered.
    case discarded(records: Int, streamNames: [String], reason: DiscardReason)

    /// The progress of the current flush, sent after each response.
    case progress(FlushStatus)

    /// The cache's file was damaged. `records` were recovered and are cached again. `lost` is nil if the number of lost
    /// records is unknown.
    case recovered(records: Int, lost: Int?)
}

/// Why records left the cache undelivered.
public enum DiscardReason: String, Sendable {
    /// They failed `maxRetries` + 1 times.
    case maxRetriesExceeded
}

/// The progress of a flush.
public struct FlushStatus: Sendable, Equatable {
    /// Records that the service accepted since the flush began.
    public let recordsFlushed: Int

    /// Entries of requests in which these were delivered: what the service counts and bills as records. Fewer than
    /// `recordsFlushed` if records share entries (`aggregatesRecords`, `packsRecords`).
    public let entriesFlushed: Int

    /// Records in the cache now, including those recorded during the flush.
    public let recordsLeft: Int

    /// Time since the flush began.
    public let elapsed: Duration
}
