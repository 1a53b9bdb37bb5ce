/// Every limit and choice of the engine in one place; a façade is a preset of it.
package struct RecorderPolicy: Sendable {
    /// The largest payload of one record, in bytes.
    package var maximumRecordBytes: Int
    /// Whether the partition key counts in `maximumRecordBytes` as well.
    package var countsKeyInRecord = false
    /// What a store may hold; checked by each save.
    package var limits: DiskLimits
    /// Payload and partition keys of one request, in bytes; at least one record always goes.
    package var batchByteLimit: Int
    /// Streams that are sent to at the same time.
    package var parallelStreams: Int
    /// Requests of one stream on their way at the same time; more than one trades the order of records for speed.
    package var requestsPerStream: Int
    /// What saves that are not on disk yet may take in memory, in bytes; one always goes. Beyond it a save waits for room.
    package var saveQueueBytes = 64 * 1_024 * 1_024
    /// How long a save waits for room in the queue, and for other processes that have the store locked, from its call on.
    package var saveTimeout = Duration.seconds(10)
    /// Bytes of request bodies on their way at the same time; one request always goes.
    package var bytesOnTheirWay = 32 * 1_024 * 1_024
    /// Whether request bodies are sent in gzip form.
    package var compressesRequests = false
    /// A byte that each record ends with; put there by the save where it is missing.
    package var delimiter: UInt8?
    /// Failures after which a record is discarded; nil keeps it for ever (within the limits).
    package var discardsAfterFailures: Int?
    /// What a failure means for its record and for the flush.
    package var failureRule = FailureRule.sendsAgain
    /// Batches of a stream that `flushIfFree` sends at most; nil sends until nothing is left.
    package var batchesPerStream: Int?

    /// What `AWSKinesisRecorder` and `AWSFirehoseRecorder` documented.
    package static let legacy = RecorderPolicy(
        maximumRecordBytes: 262_144,
        limits: DiskLimits(bytes: 5 * 1_024 * 1_024, age: .zero, notificationThreshold: 0),
        batchByteLimit: 512 * 1_024,
        parallelStreams: 4,
        requestsPerStream: 1,
        discardsAfterFailures: nil
    )

    /// What `AmplifyKinesisClient` and `AmplifyFirehoseClient` document.
    package static func amplify(_ service: StreamServiceDescription, cacheBytes: Int, maxRetries: Int) -> RecorderPolicy
    {
        var limits = DiskLimits(bytes: cacheBytes, age: .zero, notificationThreshold: 0)
        limits.refusesWhenFull = true
        return RecorderPolicy(
            maximumRecordBytes: service.maximumRecordBytes,
            countsKeyInRecord: true,
            limits: limits,
            batchByteLimit: service.maximumRequestBytes,
            parallelStreams: 4,
            requestsPerStream: 1,
            discardsAfterFailures: maxRetries == .max ? nil : maxRetries + 1,
            failureRule: .countsAttempts,
            batchesPerStream: 1
        )
    }
}

/// What failures mean: the two families of clients document different things.
package enum FailureRule: Sendable, Hashable {
    /// What may pass is sent again within the flush, what the service calls invalid is deleted at once, and no stream's
    /// trouble concerns the others.
    case sendsAgain
    /// A flush tries each record once, and every answer but "taken" counts one failure of it, whole refused requests
    /// included. Trouble without an answer (network, credentials, storage) counts none, and starts no further stream.
    case countsAttempts
}

/// How much, and for how long, a store may hold. Zero means no limit.
package struct DiskLimits: Sendable, Hashable {
    /// Bytes of stored records; the oldest are evicted beyond it.
    package var bytes: Int
    /// Whether nothing is ever evicted: a save that would exceed `bytes`, counted by payloads and partition keys alone,
    /// is refused. Zero then means no room at all.
    package var refusesWhenFull = false
    /// Age at which a record is discarded.
    package var age: Duration
    /// A save that finds more bytes than this stored is reported.
    package var notificationThreshold: Int
    /// Whether only the save that crosses the threshold is reported, not each one above it.
    package var reportsCrossingOnly = false

    package init(bytes: Int, age: Duration, notificationThreshold: Int) {
        self.bytes = bytes
        self.age = age
        self.notificationThreshold = notificationThreshold
    }

    /// Why a record may not join what is stored, if it may not.
    func refusal(of record: Record, besides stored: StoreLedger) -> RecorderError? {
        guard refusesWhenFull else { return nil }
        let wanted = record.storedBytes - Record.overhead
        let free = bytes - (stored.bytes - stored.records * Record.overhead)
        guard wanted > free else { return nil }
        return .storeFull("The record takes \(wanted) bytes; \(max(free, 0)) of the store's \(bytes) are free.")
    }

    /// The usage to report for a save that added `bytes`, if there is something to report.
    func reportedUsage(of usage: Int, after bytes: Int) -> Int? {
        guard notificationThreshold > 0, usage > notificationThreshold else { return nil }
        let crossed = usage - bytes <= notificationThreshold
        return crossed || !reportsCrossingOnly ? usage : nil
    }
}
