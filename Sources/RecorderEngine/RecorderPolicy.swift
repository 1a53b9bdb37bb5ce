/// Every limit and choice of the engine in one place; a façade is a preset of it.
package struct RecorderPolicy: Sendable {
    /// The largest payload of one record, in bytes.
    package var maximumRecordBytes: Int
    /// What a store may hold; checked by each save.
    package var limits: DiskLimits
    /// Payload and partition keys of one request, in bytes; at least one record always goes.
    package var batchByteLimit: Int
    /// Streams that are sent to at the same time.
    package var parallelStreams: Int
    /// Requests of one stream on their way at the same time; more than one trades the order of records for speed.
    package var requestsPerStream: Int
    /// Bytes of request bodies on their way at the same time; one request always goes.
    package var bytesOnTheirWay = 32 * 1_024 * 1_024
    /// Whether request bodies are sent in gzip form.
    package var compressesRequests = false
    /// A byte that each record ends with; put there by the save where it is missing.
    package var delimiter: UInt8?
    /// Failures after which a record is discarded; nil keeps it for ever (within the limits).
    package var discardsAfterFailures: Int?

    /// What `AWSKinesisRecorder` and `AWSFirehoseRecorder` documented.
    package static let legacy = RecorderPolicy(
        maximumRecordBytes: 262_144,
        limits: DiskLimits(bytes: 5 * 1_024 * 1_024, age: .zero, notificationThreshold: 0),
        batchByteLimit: 512 * 1_024,
        parallelStreams: 4,
        requestsPerStream: 1,
        discardsAfterFailures: nil
    )
}

/// How much, and for how long, a store may hold. Zero means no limit.
package struct DiskLimits: Sendable, Hashable {
    /// Bytes of stored records; the oldest are evicted beyond it.
    package var bytes: Int
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

    /// The usage to report for a save that added `bytes`, if there is something to report.
    func reportedUsage(of usage: Int, after bytes: Int) -> Int? {
        guard notificationThreshold > 0, usage > notificationThreshold else { return nil }
        let crossed = usage - bytes <= notificationThreshold
        return crossed || !reportsCrossingOnly ? usage : nil
    }
}
