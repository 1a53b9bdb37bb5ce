public import AWSCore
import RecorderAWS
import RecorderEngine

/// Saves records for Amazon Data Firehose on disk, and sends them later in batches.
///
/// A Kinesis recorder and a Firehose recorder never share records, even under the same key.
public final class AWSFirehoseRecorder: AWSAbstractKinesisRecorder, AWSRegisteredRecorder, @unchecked Sendable {
    // Safe because it adds no state to its superclass.

    private static let shared = AWSFirehoseRecorder(.firehose(key: nil), configuration: nil)
    private static let registry = RecorderRegistry(RecorderIdentity.firehose) {
        AWSFirehoseRecorder($0, configuration: $1)
    }

    /// The recorder that the whole program shares; never nil.
    ///
    /// Its configuration is looked up at the first submit: `AWSInfo` (`awsconfiguration.json`), otherwise
    /// `AWSServiceManager.default().defaultServiceConfiguration`, otherwise the machine's own (`AWS_REGION`,
    /// `AWS_ACCESS_KEY_ID`, a profile, …). If there is none, that submit's task faults.
    public static func `default`() -> AWSFirehoseRecorder! {
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

    /// Whether a newline is appended to each record saved from now on, unless it ends with one; false by default.
    ///
    /// Firehose concatenates records without a delimiter, and most readers of its files expect lines.
    public var appendsNewline: Bool {
        get { pipeline.policy.delimiter != nil }
        set { pipeline.policy.delimiter = newValue ? UInt8(ascii: "\n") : nil }
    }

    /// The recorder registered under a key, otherwise one for the key's entry in `AWSInfo`, which is registered now.
    public static func registeredRecorder(forKey key: String) -> AWSAbstractKinesisRecorder? {
        registry.recorder(forKey: key)
    }
}

/// A shorter name of the same class.
public typealias FirehoseRecorder = AWSFirehoseRecorder

extension AWSFirehoseRecorder {
    /// The Swift 2 spelling of `default()`.
    @available(*, deprecated, renamed: "default()")
    public static func defaultFirehoseRecorder() -> AWSFirehoseRecorder! {
        shared
    }

    /// The Swift 2 spelling of `register(with:forKey:)`.
    @available(*, deprecated, renamed: "register(with:forKey:)")
    public static func registerFirehoseRecorderWithConfiguration(
        _ configuration: AWSServiceConfiguration!,
        forKey key: String!
    ) {
        register(with: configuration, forKey: key)
    }

    /// The Swift 2 spelling of `remove(forKey:)`.
    @available(*, deprecated, renamed: "remove(forKey:)")
    public static func removeFirehoseRecorderForKey(_ key: String!) {
        remove(forKey: key)
    }
}
