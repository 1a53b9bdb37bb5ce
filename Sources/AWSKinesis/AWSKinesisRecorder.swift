public import AWSCore
import RecorderAWS

/// Saves records for Amazon Kinesis Data Streams on disk, and sends them later in batches.
///
/// Its files are its own: a Kinesis and a Firehose recorder never see each other's records, whatever their keys.
public final class AWSKinesisRecorder: AWSAbstractKinesisRecorder, AWSRegisteredRecorder, @unchecked Sendable {
    // Safe because it adds no state to its superclass.

    private static let shared = AWSKinesisRecorder(.kinesis(key: nil), configuration: nil)
    private static let registry = RecorderRegistry<AWSKinesisRecorder>()

    /// The recorder that all of the program shares; never nil.
    ///
    /// What it sends with is looked up at the first submit: `AWSInfo` (`awsconfiguration.json`), else
    /// `AWSServiceManager.default().defaultServiceConfiguration`, else what the machine is set up with (`AWS_REGION`,
    /// `AWS_ACCESS_KEY_ID`, a profile, …). If there is none of them, that submit's task faults.
    public static func `default`() -> AWSKinesisRecorder! {
        shared
    }

    /// Creates a recorder and keeps it under a key, in place of an older one. Its records lie in a file of their own.
    public static func register(with configuration: AWSServiceConfiguration!, forKey key: String!) {
        guard let key, let configuration = configuration?.copy() as? AWSServiceConfiguration else {
            RecorderLog.warning("AWSKinesisRecorder.register needs a configuration and a key; nothing was registered.")
            return
        }
        registry[key] = AWSKinesisRecorder(.kinesis(key: key), configuration: configuration)
    }

    /// Forgets the recorder under a key; its records stay on disk.
    public static func remove(forKey key: String!) {
        if let key { registry[key] = nil }
    }

    /// The recorder registered under a key; else one for the key's entry in `AWSInfo`, which is registered now.
    public static func registeredRecorder(forKey key: String) -> AWSAbstractKinesisRecorder? {
        registry.recorder(forKey: key) {
            AWSInfo.default().serviceInfo("KinesisRecorder", forKey: key).map {
                AWSKinesisRecorder(.kinesis(key: key), configuration: $0.configuration)
            }
        }
    }
}

/// The same class by a shorter name.
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
