public import AWSFirehoseClient
public import Foundation
import RecorderDelivery

/// Options for Firehose only.
extension RecordClientOptions where Configuration == FirehoseClient.FirehoseClientConfiguration {
    /// Whether each record gets a newline at its end when it is recorded, unless it has one; false by default.
    ///
    /// Firehose concatenates records without a delimiter, and most readers of its files expect lines.
    public var appendsNewline: Bool { endsLines }

    /// Whether records that end with a newline share entries of requests; false by default. Needs `appendsNewline`.
    ///
    /// Firehose bills each entry in steps of 5 KB, so that records of 200 bytes cost 25 times less:
    /// <doc:/Recorder/ThroughputAndCost>. The bytes that it delivers are the same. But what reads its records one by one, such as
    /// a Lambda transformation, gets several lines at once. A record is never split, and one that has no newline at its end is
    /// sent in an entry of its own.
    public var packsRecords: Bool { sharesEntries }

    /// The maximum size of an entry that several records share, in bytes: from 1,024 to 1,024,000, and 5,120 by default, one step
    /// of Firehose's bill. A larger record is sent in an entry of its own.
    public var packedRecordBytes: Int { sharedEntryBytes ?? SharedEntryLimits.packed.standard }

    /// Creates options with those for Firehose only. Parameters that are left out have their defaults.
    ///
    /// - Parameters:
    ///   - cacheMaxBytes: The maximum size of the cache.
    ///   - maxRetries: The maximum number of retries of a record.
    ///   - flushStrategy: When the client flushes automatically. An interval must be greater than 0.
    ///   - configureClient: Changes the configuration of the service's own client. Called once, before the client's
    ///     initializer returns.
    ///   - flushDrains: Whether each flush sends all records.
    ///   - storeDirectory: The directory of the cache's files.
    ///   - appendsNewline: Whether each record gets a newline at its end, unless it has one.
    ///   - packsRecords: Whether records share entries of requests. Needs `appendsNewline`.
    ///   - packedRecordBytes: The maximum size of such an entry.
    public init(
        cacheMaxBytes: Int64 = 5 * 1_024 * 1_024,
        maxRetries: Int = 5,
        flushStrategy: FlushStrategy = .interval(),
        configureClient: ((inout Configuration) -> Void)? = nil,
        flushDrains: Bool = false,
        storeDirectory: URL? = nil,
        appendsNewline: Bool = false,
        packsRecords: Bool = false,
        packedRecordBytes: Int = 5_120
    ) {
        self.init(
            cacheMaxBytes: cacheMaxBytes,
            maxRetries: maxRetries,
            flushStrategy: flushStrategy,
            configureClient: configureClient,
            flushDrains: flushDrains,
            storeDirectory: storeDirectory
        )
        endsLines = appendsNewline
        sharesEntries = packsRecords
        sharedEntryBytes = packedRecordBytes
    }
}
