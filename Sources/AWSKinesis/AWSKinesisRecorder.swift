public import AWSCore
import RecorderAWS

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

    /// The recorder registered under a key, otherwise one for the key's entry in `AWSInfo`, which is registered now.
    public static func registeredRecorder(forKey key: String) -> AWSAbstractKinesisRecorder? {
        registry.recorder(forKey: key)
    }
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
