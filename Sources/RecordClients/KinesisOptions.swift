public import AWSKinesisClient
public import Foundation
import RecorderDelivery

/// Options for Kinesis only.
extension RecordClientOptions where Configuration == KinesisClient.KinesisClientConfiguration {
    /// How requests are encoded; in JSON by default.
    public var requestFormat: KinesisRequestFormat { sendsCBOR ? .cbor : .json }

    /// Whether records share entries of requests, in the aggregation format of the Kinesis Producer Library (KPL); false by
    /// default.
    ///
    /// Kinesis counts, throttles and bills an entry as one record, so that small records need a fraction of the shards:
    /// <doc:/Recorder/ThroughputAndCost>. Records with the same partition key share an entry; those that were recorded without one,
    /// and a record that finds no other to share with, are sent as they are.
    ///
    /// Set it only if all consumers of the stream read the format. Those built on the Kinesis Client Library (KCL) do; others use
    /// AWS's deaggregation libraries, or `AWSKinesisAggregation` of `AWSKinesis`. No answer of the service tells, so nothing
    /// checks this.
    ///
    /// Of a stream that distributes records by itself (strategy `AUTO`), such consumers lose aggregated records. So a flush asks
    /// for the strategy and the shards of a stream, at most every ten minutes, and sends records one by one where it is `AUTO`, or
    /// where it never got an answer; a warning says so. The credentials need the permissions `kinesis:DescribeStreamSummary` and
    /// `kinesis:ListShards`. See `assumesDistributionByKey`.
    public var aggregatesRecords: Bool { sharesEntries }

    /// The maximum size of an entry that several records share, in bytes without its partition key: from 1,024 to 1,048,576, and
    /// 51,200 by default, as in the KPL. A larger record is sent in an entry of its own.
    public var aggregatedEntryBytes: Int { sharedEntryBytes ?? SharedEntryLimits.aggregated.standard }

    /// Whether a record is sent only after each older one of its partition key was accepted or discarded; false by default: a
    /// record that failed is sent again after younger ones of its batch.
    ///
    /// Holds across retries, flushes, restarts and processes. Records without a partition key have no order. A request has at most
    /// one entry for each key, so that a flush sends few records of few keys unless they share entries: see `aggregatesRecords`.
    public var keepsOrder: Bool { sendsInOrder }

    /// Whether all streams are taken to distribute records by their partition keys (strategy `USER_PARTITION_KEY`, the default of
    /// Kinesis); false by default: a flush asks for that before records share entries or an order is promised.
    ///
    /// For credentials that may not ask. On a stream whose strategy is `AUTO`, consumers then lose aggregated records, and nothing
    /// tells.
    public var assumesDistributionByKey: Bool { assumesByKey }

    /// Creates options with those for Kinesis only. Parameters that are left out have their defaults.
    ///
    /// - Parameters:
    ///   - cacheMaxBytes: The maximum size of the cache.
    ///   - maxRetries: The maximum number of retries of a record.
    ///   - flushStrategy: When the client flushes automatically. An interval must be greater than 0.
    ///   - configureClient: Changes the configuration of the service's own client. Called once, before the client's
    ///     initializer returns.
    ///   - flushDrains: Whether each flush sends all records.
    ///   - storeDirectory: The directory of the cache's files.
    ///   - requestFormat: How requests are encoded.
    ///   - aggregatesRecords: Whether records with the same partition key share entries of requests.
    ///   - aggregatedEntryBytes: The maximum size of such an entry.
    ///   - keepsOrder: Whether a record is sent only after each older one of its partition key was accepted or discarded.
    ///   - assumesDistributionByKey: Whether streams are not asked how they distribute records.
    public init(
        cacheMaxBytes: Int64 = 5 * 1_024 * 1_024,
        maxRetries: Int = 5,
        flushStrategy: FlushStrategy = .interval(),
        configureClient: ((inout Configuration) -> Void)? = nil,
        flushDrains: Bool = false,
        storeDirectory: URL? = nil,
        requestFormat: KinesisRequestFormat = .json,
        aggregatesRecords: Bool = false,
        aggregatedEntryBytes: Int = 51_200,
        keepsOrder: Bool = false,
        assumesDistributionByKey: Bool = false
    ) {
        self.init(
            cacheMaxBytes: cacheMaxBytes,
            maxRetries: maxRetries,
            flushStrategy: flushStrategy,
            configureClient: configureClient,
            flushDrains: flushDrains,
            storeDirectory: storeDirectory
        )
        sendsCBOR = requestFormat == .cbor
        sharesEntries = aggregatesRecords
        sharedEntryBytes = aggregatedEntryBytes
        sendsInOrder = keepsOrder
        assumesByKey = assumesDistributionByKey
    }
}
