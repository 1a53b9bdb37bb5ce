import RecorderAWS
public import RecorderConfiguration
import RecorderDelivery
import RecorderEngine
import RecorderStore

/// Saves records for Amazon Kinesis Data Streams on disk, and sends them later in batches.
///
/// ```swift
/// let recorder = AWSKinesisRecorder.default()!
/// recorder.diskByteLimit = 50 * 1_024 * 1_024  // above it the oldest are discarded; default 5 MiB
/// recorder.diskAgeLimit = 7 * 24 * 60 * 60     // older ones are discarded; 0, the default: never
///
/// recorder.saveRecord(data, streamName: "clicks").continueOnSuccessWith(block: { _ in
///     recorder.submitAllRecords()
/// }).continueWith(block: { task in
///     print(task.error.map { "not delivered: \($0.localizedDescription)" } ?? "delivered")
///     return nil
/// })
/// ```
/// A save's task succeeds once the record is on disk, where it survives a power failure. A submit sends everything that was saved
/// before it; records that the service does not accept now stay for the next one. With `async`, and with limits for a
/// server (``AWSRecorderLimits``):
///
/// ```swift
/// let recorder = try AWSKinesisRecorder()
/// do {
///     try await recorder.save(data, to: "clicks", partitionKey: "user-17")
///     try await recorder.submit()
/// } catch {
///     print("\(recorder.diskBytesUsed) bytes stay on disk: \(error.localizedDescription)")
/// }
/// ```
/// Saves, submits, limits and counts are those of the base class, ``AWSAbstractKinesisRecorder``, which also says on which threads
/// tasks complete. <doc:/Recorder/LimitsAndNotifications> has all limits and their defaults, <doc:/Recorder/Errors> what each error
/// means for the records.
///
/// A Kinesis recorder and a Firehose recorder never share records, even under the same key.
public final class AWSKinesisRecorder: AWSAbstractKinesisRecorder, AWSRegisteredRecorder, @unchecked Sendable {
    // Safe because the only state that it adds to its superclass is behind a lock.

    private static let shared = AWSKinesisRecorder(.kinesis(key: nil), configuration: nil)
    private static let registry = RecorderRegistry(RecorderIdentity.kinesis) {
        AWSKinesisRecorder($0, configuration: $1)
    }

    /// The recorder that the whole program shares; never nil.
    ///
    /// Its configuration is looked up at the first submit: `AWSInfo` (`awsconfiguration.json`), otherwise
    /// `AWSServiceManager.default().defaultServiceConfiguration`, otherwise the machine's own (`AWS_REGION`,
    /// `AWS_ACCESS_KEY_ID`, a profile, …). If there is none, that submit's task faults.
    public static func `default`() -> AWSKinesisRecorder! {
        shared
    }

    /// Creates a recorder and registers it under a key, in place of an earlier one. Its records are in a file of their own.
    public static func register(with configuration: AWSServiceConfiguration!, forKey key: String!) {
        registry.register(configuration, forKey: key)
    }

    /// Unregisters the recorder under a key; its records stay on disk.
    public static func remove(forKey key: String!) {
        registry.remove(forKey: key)
    }

    /// How requests are encoded: `.json` by default.
    ///
    /// `.cbor` sends records as they are instead of as base64 text: a quarter fewer bytes to sign, encrypt and send. A change
    /// applies from the next submit on. If the endpoint does not understand CBOR, its records are sent in JSON at once, as are
    /// all later requests of this process to it, and a warning is logged.
    ///
    /// The AWS SDK for Java sends the same format to Kinesis. Here it was run against two local services, moto and MiniStack,
    /// which decode it with Python's cbor2, and never against AWS so far.
    public var requestFormat: AWSKinesisRequestFormat {
        get { pipeline.policy.requestFormat == .cbor ? .cbor : .json }
        set { pipeline.configure { $0.requestFormat = newValue == .cbor ? .cbor : .json } }
    }

    /// Whether records that were saved without a partition key are sent without one; false by default: each is sent with a UUID
    /// that names it, see <doc:/RecorderAccounting/AWSRecordIdentity>.
    ///
    /// For streams whose record distribution strategy is `AUTO`, which distribute records by themselves and ignore keys. Another
    /// stream refuses such records: they stay, the submit faults, and records with keys that were saved after them may be sent
    /// before them. A key that was given to `saveRecord` is always sent. A change applies from the next submit on. Setting it to
    /// true sets ``randomKeys`` to false.
    public var omitsPartitionKeys: Bool {
        get { pipeline.policy.keylessRecords == .withoutKeys }
        set { setKeylessRecords(.withoutKeys, to: newValue) }
    }

    /// Whether records that were saved without a partition key are sent with a random UUID of version 4, as the AWS SDK for iOS
    /// sent them; false by default.
    ///
    /// A record that is sent again gets another key then, and a consumer cannot recognize it, nor notice one that is missing: see
    /// <doc:/RecorderAccounting/AWSRecordIdentity> for the keys that are sent otherwise. Both spread over shards equally well. A
    /// key that was given to `saveRecord` is always sent. A change applies from the next submit on. Setting it to true sets
    /// ``omitsPartitionKeys`` to false.
    public var randomKeys: Bool {
        get { pipeline.policy.keylessRecords == .withRandomKeys }
        set { setKeylessRecords(.withRandomKeys, to: newValue) }
    }

    private func setKeylessRecords(_ choice: KeylessRecords, to isChosen: Bool) {
        pipeline.configure { policy in
            if isChosen {
                policy.keylessRecords = choice
            } else if policy.keylessRecords == choice {
                policy.keylessRecords = .withNumberedKeys
            }
        }
    }

    /// Whether records share entries of requests, in the aggregation format of the Kinesis Producer Library (KPL); false by
    /// default.
    ///
    /// Kinesis counts, throttles and bills an entry as one record, so that small records need a fraction of the shards:
    /// <doc:/Recorder/ThroughputAndCost>. Records with the same partition key share an entry, as do records that were saved without
    /// one. A record that finds no other to share with is sent as it is.
    ///
    /// Set it only if all consumers of the stream read the format. Those built on the Kinesis Client Library (KCL) do; others use
    /// AWS's deaggregation libraries, or <doc:/RecorderAccounting/AWSKinesisAggregation>. No answer of the service tells, so
    /// nothing checks this.
    ///
    /// Of a stream that distributes records by itself (strategy `AUTO`), such consumers lose aggregated records. So a submit asks
    /// for the strategy and the shards of a stream, at most every ten minutes, and sends records one by one where it is `AUTO`, or
    /// where it never got an answer; a warning says so. The credentials need the permissions `kinesis:DescribeStreamSummary` and
    /// `kinesis:ListShards`. See ``assumesDistributionByKey``.
    ///
    /// With `omitsPartitionKeys`, only records with a key of the caller's share entries. A change applies from the next submit on.
    public var aggregatesRecords: Bool {
        get { pipeline.policy.sharedEntryBytes != nil }
        set { sharedEntries.enable(newValue, in: pipeline) }
    }

    /// The maximum size of an entry that several records share, in bytes without its partition key: 51,200 by default, as in the
    /// KPL. A value outside 1,024 to 1,048,576 is changed to the nearest of these.
    ///
    /// A larger record is sent in an entry of its own, and an entry is no larger than `batchRecordsByteLimit`. Without effect while
    /// `aggregatesRecords` is false. A change applies from the
    /// next submit on.
    public var aggregatedEntryBytes: UInt {
        get { sharedEntries.bytes }
        set { sharedEntries.setBytes(newValue, in: pipeline) }
    }

    private let sharedEntries = SharedEntryOption(.aggregated)

    /// Whether all streams are taken to distribute records by their partition keys (strategy `USER_PARTITION_KEY`, the default of
    /// Kinesis); false by default: a submit asks for that before records share entries or an order is promised.
    ///
    /// For credentials that may not ask. On a stream whose strategy is `AUTO`, consumers then lose aggregated records, and nothing
    /// tells. A change applies from the next submit on.
    public var assumesDistributionByKey: Bool {
        get { pipeline.policy.assumesDistributionByKey }
        set { pipeline.configure { $0.assumesDistributionByKey = newValue } }
    }

    /// Whether a record is sent only after each older one of its partition key was accepted or discarded; false by default: a
    /// record that failed is sent again after younger ones of its request.
    ///
    /// Holds across retries, submits, restarts and processes, and for any `maxConcurrentRequests`. Records without a partition key
    /// have no order. A request has at most one entry for each key, so that records of few keys need many requests unless they
    /// share entries: see `aggregatesRecords`. A stream that distributes records by itself (strategy `AUTO`) has no order of a key,
    /// which a warning says if the credentials permit `kinesis:DescribeStreamSummary`. A change applies from the next submit on.
    public var keepsOrder: Bool {
        get { pipeline.policy.keepsOrder }
        set { pipeline.configure { $0.keepsOrder = newValue } }
    }

    /// The recorder registered under a key, otherwise one for the key's entry in `AWSInfo`, which is registered now.
    public static func registeredRecorder(forKey key: String) -> AWSAbstractKinesisRecorder? {
        registry.recorder(forKey: key)
    }
}

/// How a Kinesis recorder encodes its requests.
public enum AWSKinesisRequestFormat: Sendable {
    /// `application/x-amz-json-1.1`, the default.
    case json
    /// `application/x-amz-cbor-1.1`, a binary format.
    case cbor
}

/// A shorter name of the same class.
public typealias KinesisRecorder = AWSKinesisRecorder

extension AWSKinesisRecorder {
    /// The Swift 2 spelling of `default()`.
    @available(*, deprecated, renamed: "default()")
    public static func defaultKinesisRecorder() -> AWSKinesisRecorder! {
        shared
    }

    /// The Swift 2 spelling of `register(with:forKey:)`.
    @available(*, deprecated, renamed: "register(with:forKey:)")
    public static func registerKinesisRecorderWithConfiguration(
        _ configuration: AWSServiceConfiguration!,
        forKey key: String!
    ) {
        register(with: configuration, forKey: key)
    }

    /// The Swift 2 spelling of `remove(forKey:)`.
    @available(*, deprecated, renamed: "remove(forKey:)")
    public static func removeKinesisRecorderForKey(_ key: String!) {
        remove(forKey: key)
    }
}
