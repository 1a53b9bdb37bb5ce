public import Foundation

/// The options of a client: `AmplifyKinesisClient.Options` or `AmplifyFirehoseClient.Options`, which differ only in the
/// type of the configuration that ``configureClient`` receives.
public struct RecordClientOptions<Configuration> {
    /// The maximum size of the cache, in bytes of data and partition keys; 5 MiB by default. A record that would exceed it
    /// is refused, unless its stream has less than an equal share of it: the maximum divided by the number of streams with
    /// records. So a stream that cannot be sent does not stop the others; the cache never exceeds twice its maximum. The files are
    /// larger: up to twice what is stored and 7 MiB, or 14 MiB for records of several megabytes.
    public let cacheMaxBytes: Int64

    /// The maximum number of retries of a record; 5 by default. It is discarded when the last one fails.
    public let maxRetries: Int

    /// When the client flushes automatically; every 30 seconds by default.
    public let flushStrategy: FlushStrategy

    /// Changes the configuration of the service's own client; nil by default. Credentials set here are not used.
    public let configureClient: ((inout Configuration) -> Void)?

    /// Whether each flush, including automatic ones, sends all records instead of one batch per stream; false by default.
    public let flushDrains: Bool

    /// The directory of the cache's files, created if it is missing. By default a directory named after the program in
    /// `$STATE_DIRECTORY`, `$XDG_STATE_HOME` or `~/.local/state`, or `AWS_KINESIS_RECORDER_DIR` itself.
    public let storeDirectory: URL?

    /// Options that only Kinesis or only Firehose has.
    package var sendsCBOR = false
    package var sendsInOrder = false
    package var assumesByKey = false
    package var endsLines = false
    package var sharesEntries = false
    package var sharedEntryBytes: Int?

    /// Creates options. Parameters that are left out have their defaults.
    ///
    /// - Parameters:
    ///   - cacheMaxBytes: The maximum size of the cache.
    ///   - maxRetries: The maximum number of retries of a record.
    ///   - flushStrategy: When the client flushes automatically. An interval must be greater than 0.
    ///   - configureClient: Changes the configuration of the service's own client. Called once, before the client's
    ///     initializer returns.
    ///   - flushDrains: Whether each flush sends all records.
    ///   - storeDirectory: The directory of the cache's files.
    public init(
        cacheMaxBytes: Int64 = 5 * 1_024 * 1_024,
        maxRetries: Int = 5,
        flushStrategy: FlushStrategy = .interval(),
        configureClient: ((inout Configuration) -> Void)? = nil,
        flushDrains: Bool = false,
        storeDirectory: URL? = nil
    ) {
        self.cacheMaxBytes = cacheMaxBytes
        self.maxRetries = maxRetries
        self.flushStrategy = flushStrategy
        self.configureClient = configureClient
        self.flushDrains = flushDrains
        self.storeDirectory = storeDirectory
    }
}

/// When a client flushes automatically.
public enum FlushStrategy: Sendable {
    /// Flushes this many seconds after the client was created or enabled, and after the end of each automatic flush; 30 by
    /// default.
    case interval(TimeInterval = 30)

    /// Never flushes automatically; only `flush` and `drain` send records.
    case none

    /// The same as ``interval(_:)`` with seconds, such as `.interval(.seconds(60))`.
    public static func interval(_ duration: Duration) -> FlushStrategy { .interval(duration / .seconds(1)) }
}
