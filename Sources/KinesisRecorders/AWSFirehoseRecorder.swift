import RecorderAWS
public import RecorderConfiguration
import RecorderDelivery
import RecorderEngine
import RecorderStore

/// Saves records for Amazon Data Firehose on disk, and sends them later in batches.
///
/// ```swift
/// let recorder = AWSFirehoseRecorder.default()!
/// recorder.appendsNewline = true               // most readers of Firehose's files expect lines
/// recorder.diskByteLimit = 50 * 1_024 * 1_024  // above it the oldest are discarded; default 5 MiB
/// recorder.diskAgeLimit = 7 * 24 * 60 * 60     // older ones are discarded; 0, the default: never
///
/// recorder.saveRecord(data, streamName: "my-delivery-stream").continueOnSuccessWith(block: { _ in
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
/// let recorder = try AWSFirehoseRecorder()
/// do {
///     try await recorder.save(data, to: "my-delivery-stream")
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
public final class AWSFirehoseRecorder: AWSAbstractKinesisRecorder, AWSRegisteredRecorder, @unchecked Sendable {
    // Safe because the only state that it adds to its superclass is behind a lock.

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
        set { pipeline.configure { $0.delimiter = newValue ? UInt8(ascii: "\n") : nil } }
    }

    /// Whether records that end with a newline share entries of requests; false by default. Needs `appendsNewline`.
    ///
    /// Firehose bills each entry in steps of 5 KB, so that records of 200 bytes cost 25 times less:
    /// <doc:/Recorder/ThroughputAndCost>. The bytes that it delivers are the same. But what reads its records one by one, such as
    /// a Lambda transformation, gets several lines at once.
    ///
    /// A record is never split. One that was saved without a newline at its end is sent in an entry of its own. If this is true and
    /// `appendsNewline` is false, submits fault and the records stay. A change applies from the next submit on.
    public var packsRecords: Bool {
        get { pipeline.policy.sharedEntryBytes != nil }
        set { sharedEntries.enable(newValue, in: pipeline) }
    }

    /// The maximum size of an entry that several records share, in bytes: 5,120 by default, one step of Firehose's bill. A value
    /// outside 1,024 to 1,024,000 is changed to the nearest of these.
    ///
    /// A larger record is sent in an entry of its own, and an entry is no larger than `batchRecordsByteLimit`. Without effect while
    /// `packsRecords` is false. A change applies from the next
    /// submit on.
    public var packedRecordBytes: UInt {
        get { sharedEntries.bytes }
        set { sharedEntries.setBytes(newValue, in: pipeline) }
    }

    private let sharedEntries = SharedEntryOption(.packed)

    override func checkOptions() throws(RecorderError) {
        guard packsRecords, !appendsNewline else { return }
        throw .configuration(
            ConfigurationFailure(
                "packsRecords joins records at their newlines, but appendsNewline is false. Set appendsNewline before records are "
                    + "saved, or packsRecords to false."
            )
        )
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
