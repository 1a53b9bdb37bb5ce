public import AWSCore
import RecorderAWS
import RecorderEngine

/// Saves records for Amazon Kinesis Data Streams on disk, and sends them later in batches.
///
/// A Kinesis recorder and a Firehose recorder never share records, even under the same key.
public final class AWSKinesisRecorder: AWSAbstractKinesisRecorder, AWSRegisteredRecorder, @unchecked Sendable {
    // Safe because it adds no state to its superclass.

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
        set { pipeline.policy.requestFormat = newValue == .cbor ? .cbor : .json }
    }

    /// Whether records that were saved without a partition key are sent without one; false by default: each is sent with a UUID.
    ///
    /// For streams whose record distribution strategy is `AUTO`, which distribute records by themselves and ignore keys. Another
    /// stream refuses such records: they stay, the submit faults, and records with keys that were saved after them may be sent
    /// before them. A key that was given to `saveRecord` is always sent. A change applies from the next submit on.
    public var omitsPartitionKeys: Bool {
        get { pipeline.policy.omitsPartitionKeys }
        set { pipeline.policy.omitsPartitionKeys = newValue }
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
