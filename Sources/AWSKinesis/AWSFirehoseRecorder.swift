public import AWSCore
import RecorderAWS
import RecorderEngine

/// Saves records for Amazon Data Firehose on disk, and sends them later in batches.
///
/// Its files are its own: a Kinesis and a Firehose recorder never see each other's records, whatever their keys.
public final class AWSFirehoseRecorder: AWSAbstractKinesisRecorder, AWSRegisteredRecorder, @unchecked Sendable {
    // Safe because it adds no state to its superclass.

    private static let shared = AWSFirehoseRecorder(.firehose(key: nil), configuration: nil)
    private static let registry = RecorderRegistry<AWSFirehoseRecorder>()

    /// The recorder that all of the program shares; never nil.
    ///
    /// What it sends with is looked up at the first submit: `AWSInfo` (`awsconfiguration.json`), else
    /// `AWSServiceManager.default().defaultServiceConfiguration`, else what the machine is set up with (`AWS_REGION`,
    /// `AWS_ACCESS_KEY_ID`, a profile, …). If there is none of them, that submit's task faults.
    public static func `default`() -> AWSFirehoseRecorder! {
        shared
    }

    /// Creates a recorder and keeps it under a key, in place of an older one. Its records lie in a file of their own.
    public static func register(with configuration: AWSServiceConfiguration!, forKey key: String!) {
        guard let key, let configuration = configuration?.copy() as? AWSServiceConfiguration else {
            RecorderLog.warning("AWSFirehoseRecorder.register needs a configuration and a key; nothing was registered.")
            return
        }
        registry[key] = AWSFirehoseRecorder(.firehose(key: key), configuration: configuration)
    }

    /// Forgets the recorder under a key; its records stay on disk.
    public static func remove(forKey key: String!) {
        if let key { registry[key] = nil }
    }

    /// Whether each record saved from now on ends with a newline, added where it is missing; false by default.
    ///
    /// Firehose joins records without a mark between them; lines are what most readers of its files expect.
    public var appendsNewline: Bool {
        get { pipeline.policy.delimiter != nil }
        set { pipeline.policy.delimiter = newValue ? UInt8(ascii: "\n") : nil }
    }

    /// The recorder registered under a key; else one for the key's entry in `AWSInfo`, which is registered now.
    public static func registeredRecorder(forKey key: String) -> AWSAbstractKinesisRecorder? {
        registry.recorder(forKey: key) {
            AWSInfo.default().serviceInfo("FirehoseRecorder", forKey: key).map {
                AWSFirehoseRecorder(.firehose(key: key), configuration: $0.configuration)
            }
        }
    }
}

/// The same class by a shorter name.
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
