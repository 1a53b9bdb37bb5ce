package import RecorderAWS

/// Every limit and option of the engine in one struct. Each public API is a preset of it.
package struct RecorderPolicy: Sendable {
    /// The largest payload of one record, in bytes.
    package var maximumRecordBytes: Int
    /// Whether the partition key counts in `maximumRecordBytes` as well.
    package var countsKeyInRecord = false
    /// How much a store may hold; enforced by each save.
    package var limits: DiskLimits
    /// Payload and partition keys of one request, in bytes; a single larger record is still sent.
    package var batchByteLimit: Int
    /// Streams that are sent to at the same time.
    package var parallelStreams: Int
    /// Requests of one stream in flight at the same time; more than one gives up the order of records for speed.
    package var requestsPerStream: Int
    /// Memory for saves that are not on disk yet, in bytes; a single larger one is accepted. Beyond it, a save waits.
    package var saveQueueBytes = 64 * 1_024 * 1_024
    /// How long a save waits for room in the queue and for other processes that hold the lock, counted from its call.
    package var saveTimeout = Duration.seconds(10)
    /// Request bodies in flight at the same time, in bytes; a single larger request is still sent.
    package var inFlightBytes = 32 * 1_024 * 1_024
    /// The bytes of request bodies in a second, on average and of all streams together; nil for no limit.
    package var maximumBytesPerSecond: Int?
    /// The streams that a flush sends; nil sends all.
    package var streams: StreamSelection?
    /// How requests are encoded, if service and endpoint understand it; otherwise in JSON.
    package var requestFormat = RequestFormat.json
    /// Whether request bodies are compressed with gzip.
    package var compressesRequests = false
    /// How records that were saved without a partition key are sent.
    package var keylessRecords = KeylessRecords.withNumberedKeys
    /// The largest entry of a request that several records share, in bytes; nil sends each record in an entry of its own.
    package var sharedEntryBytes: Int?
    /// Whether every stream is taken to place records by their partition keys; otherwise the service is asked before records share
    /// entries, or an order is promised.
    package var assumesDistributionByKey = false
    /// Whether no record is sent before an older one of the same partition key has been answered for.
    package var keepsOrder = false
    /// The last byte of each record; a save appends it where it is missing.
    package var delimiter: UInt8?
    /// Failures after which a record is discarded; nil keeps it, within the limits.
    package var discardsAfterFailures: Int?
    /// Whether a record that the service does not accept is copied before it leaves: see `RejectedTable`.
    package var keepsRejected = false
    /// What a failure means for its record and for the flush.
    package var failureRule: any FailureRule = RetriesInFlush()
    /// The maximum number of batches of a stream that `flushIfFree` sends; nil sends all records.
    package var batchesPerStream: Int?

    /// Whether younger records of a partition key wait for its older ones, as far as a service has keys.
    package func keepsOrder(of service: StreamServiceDescription) -> Bool { keepsOrder && service.sendsPartitionKey }

    /// As `AWSKinesisRecorder` and `AWSFirehoseRecorder` documented.
    package static let legacy = RecorderPolicy(
        maximumRecordBytes: 262_144,
        limits: DiskLimits(bytes: 5 * 1_024 * 1_024, age: .zero, notificationThreshold: 0),
        batchByteLimit: 512 * 1_024,
        parallelStreams: 4,
        requestsPerStream: 1,
        discardsAfterFailures: nil
    )

    /// For what is new: 1 GiB, records of up to 1,000 KiB, which both services take, and large requests.
    package static let standard: RecorderPolicy = {
        var policy = legacy
        policy.maximumRecordBytes = 1_024_000
        policy.limits.bytes = 1 << 30
        policy.batchByteLimit = 4 * 1_024 * 1_024
        return policy
    }()

    /// As `AmplifyKinesisClient` and `AmplifyFirehoseClient` document.
    package static func amplify(_ service: StreamServiceDescription, cacheBytes: Int, maxRetries: Int) -> RecorderPolicy
    {
        var limits = DiskLimits(bytes: cacheBytes, age: .zero, notificationThreshold: 0)
        limits.overflow = .refusesByContent
        return RecorderPolicy(
            maximumRecordBytes: service.maximumRecordBytes,
            countsKeyInRecord: true,
            limits: limits,
            batchByteLimit: service.maximumRequestBytes,
            parallelStreams: 4,
            requestsPerStream: 1,
            discardsAfterFailures: maxRetries == .max ? nil : maxRetries + 1,
            failureRule: CountsAttempts(),
            batchesPerStream: 1
        )
    }
}

/// How records that were saved without a partition key are sent to a service that has keys.
package enum KeylessRecords: Sendable, Hashable {
    /// With a key that names the record, the same whenever it is sent.
    case withNumberedKeys
    /// With a random key.
    case withRandomKeys
    /// Without a key, which only some streams accept.
    case withoutKeys
}

/// How much a store may hold, and for how long. Zero means no limit.
package struct DiskLimits: Sendable, Hashable {
    /// What becomes of a save that exceeds `bytes`.
    package enum Overflow: Sendable, Hashable {
        /// It is stored, and the oldest records of the stream that takes the most are evicted. Zero is no limit.
        case evicts
        /// It is refused unless its stream is below its share, and nothing is evicted. Zero is no limit.
        case refuses
        /// The same, but only payloads and partition keys count, and zero is no room at all.
        case refusesByContent
    }

    /// Bytes of stored records.
    package var bytes: Int
    /// What becomes of a save beyond them.
    package var overflow = Overflow.evicts
    /// A record that is older is discarded.
    package var age: Duration
    /// A save that finds more bytes than this stored is reported.
    package var notificationThreshold: Int
    /// Whether only the save that crosses the threshold is reported, instead of each save above it.
    package var reportsCrossingOnly = false

    package init(bytes: Int, age: Duration, notificationThreshold: Int) {
        self.bytes = bytes
        self.age = age
        self.notificationThreshold = notificationThreshold
    }

    /// The usage to report after a save that added `bytes`; nil if there is nothing to report.
    func reportedUsage(_ usage: Int, afterAdding bytes: Int) -> Int? {
        guard notificationThreshold > 0, usage > notificationThreshold else { return nil }
        let crossed = usage - bytes <= notificationThreshold
        return crossed || !reportsCrossingOnly ? usage : nil
    }
}
