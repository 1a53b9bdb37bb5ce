/// What happened to cached records, as a client's `events()` tells it. Holds counts and names, never a record.
///
/// Cases may be added: end a `switch` with `default`.
public enum RecordEvent: Sendable, Equatable {
    /// The service took records of a stream.
    case delivered(records: Int, streamName: String)

    /// Records of a stream failed and stay in the cache for the next flush; the reason is the service's own.
    case retried(records: Int, streamName: String, reason: String)

    /// Records left the cache without being delivered.
    case discarded(records: Int, streamNames: [String], reason: DiscardReason)

    /// How far the flush under way has come, told after each answer.
    case progress(FlushStatus)

    /// The cache's file was damaged: so many records could be read and are cached again. How many could not is nil where
    /// the damage leaves that unknown.
    case recovered(records: Int, lost: Int?)
}

/// Why records left the cache undelivered.
public enum DiscardReason: String, Sendable {
    /// They failed `maxRetries` + 1 times.
    case maxRetriesExceeded
}

/// How far a flush has come.
public struct FlushStatus: Sendable, Equatable {
    /// Records that the service took since the flush began.
    public let recordsFlushed: Int

    /// Records in the cache now, those recorded meanwhile included.
    public let recordsLeft: Int

    /// Time since the flush began.
    public let elapsed: Duration
}
