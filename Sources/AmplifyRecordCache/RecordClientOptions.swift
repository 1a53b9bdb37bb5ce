public import Foundation

/// The options of a client: `AmplifyKinesisClient.Options` and `AmplifyFirehoseClient.Options`, which differ only in the
/// configuration that ``configureClient`` is given.
public struct RecordClientOptions<Configuration> {
    /// What the cache may hold, in bytes of data and partition keys; 5 MiB by default. A record that would exceed it
    /// is refused. The files take more: up to twice as much and 6 MiB besides, 14 MiB where records have megabytes.
    public let cacheMaxBytes: Int64

    /// How often a record is tried again after it failed; 5 by default. It is discarded when it fails once more.
    public let maxRetries: Int

    /// When the client flushes by itself; every 30 seconds by default.
    public let flushStrategy: FlushStrategy

    /// Changes the configuration of the service's own client; nil by default. Credentials set here are not used.
    public let configureClient: ((inout Configuration) -> Void)?

    /// Whether each flush, automatic ones included, sends everything instead of one batch a stream; false by default.
    public let flushDrains: Bool

    /// The directory that the cache's files lie in, made if it is missing; by default one of the program's own under
    /// `$STATE_DIRECTORY`, `$XDG_STATE_HOME` or `~/.local/state`, or what `AWS_KINESIS_RECORDER_DIR` names.
    public let storeDirectory: URL?

    /// Options; what is left out has its default.
    ///
    /// - Parameters:
    ///   - cacheMaxBytes: What the cache may hold.
    ///   - maxRetries: How often a record is tried again.
    ///   - flushStrategy: When the client flushes by itself; an interval is above 0 seconds.
    ///   - configureClient: Changes the configuration of the service's own client; called once, at once.
    ///   - flushDrains: Whether each flush sends everything.
    ///   - storeDirectory: Where the files lie.
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

    /// The same, checked, without what only the client itself needs.
    package func settings() throws(RecordClientError) -> RecordClientSettings {
        try RecordClientSettings(
            cacheMaxBytes: cacheMaxBytes,
            maxRetries: maxRetries,
            flushStrategy: flushStrategy,
            flushDrains: flushDrains,
            storeDirectory: storeDirectory
        )
    }
}
