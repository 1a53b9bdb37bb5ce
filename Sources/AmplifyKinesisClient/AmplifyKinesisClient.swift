public import AWSServiceClients
public import AmplifyFoundation
public import AmplifyRecordCache
public import Foundation
import RecorderEngine

/// Caches records for Kinesis Data Streams on disk, and sends them later in batches.
///
/// ```swift
/// let kinesis = try AmplifyKinesisClient(region: "us-east-1", credentialsProvider: provider)
/// try await kinesis.record(data: data, partitionKey: "partition-1", streamName: "my-stream")
/// ```
/// A recorded record is on disk, power loss included. It stays until the service has taken it, or has failed it
/// `maxRetries` + 1 times; being offline or without credentials counts for nothing. The cache belongs to the program, the
/// region and the service: clients of one region share it, in one process and in several, and send nothing twice.
///
/// Safe to use from any thread, task or actor. A released client stops flushing by itself and closes its files.
public final class AmplifyKinesisClient: Sendable {
    private let client: RecordClient
    private let kinesis: KinesisClient

    /// A client that is enabled, and flushes by itself as its options say. No file is touched before the first call.
    ///
    /// - Parameters:
    ///   - region: The region to send to, such as `us-east-1`; also names the cache.
    ///   - credentialsProvider: Asked for keys before each request.
    ///   - options: Everything else.
    /// - Throws: `KinesisError.validation` where the region or an option cannot be used, `KinesisError.cache` where there
    ///   is no home directory for the cache.
    public init(
        region: String,
        credentialsProvider: any AWSCredentialsProvider,
        options: Options = Options()
    ) throws {
        do {
            try RecordClient.checkRegion(region)
            let settings = try options.settings()
            let credentials = ProviderCredentials(credentialsProvider)
            var configuration = try KinesisClient.KinesisClientConfiguration(region: region)
            options.configureClient?(&configuration)
            RecordClient.finish(
                configuration,
                credentials,
                client: KinesisClient.clientName,
                product: "amplify-kinesis"
            )
            let kinesis = KinesisClient(config: configuration)
            self.kinesis = kinesis
            client = try RecordClient(
                .kinesis,
                name: "AmplifyKinesisClient",
                region: region,
                settings,
                calls: kinesis.calls,
                credentials
            )
        } catch let error as RecordClientError {
            throw KinesisError(error)
        }
    }

    deinit { client.close() }

    /// Caches one record; returns once it is on disk. While the client is disabled, drops it silently.
    ///
    /// - Parameters:
    ///   - data: What to send; with the key's UTF-8 bytes up to 10 MiB.
    ///   - partitionKey: What the stream's shards are chosen by, 1 to 256 Unicode scalars.
    ///   - streamName: Where to send it: 1 to 128 letters, digits, `_`, `.` and `-`.
    /// - Returns: Nothing of interest.
    /// - Throws: `KinesisError`: `validation`, `cacheLimitExceeded` or `cache`. Nothing is stored then.
    @discardableResult
    public func record(data: Data, partitionKey: String, streamName: String) async throws -> RecordData {
        try await kinesisErrors { () async throws(RecordClientError) in
            try await client.record(data, partitionKey: partitionKey, streamName: streamName)
        }
    }

    /// Sends the oldest records of each stream: one batch, up to 500 records or 10 MiB. Works while disabled, too.
    ///
    /// Where the service fails records or refuses a stream, that counts one attempt of each, and the other streams go on;
    /// `events()` tells. Cancelling the task ends the flush; what has no answer yet stays, uncounted.
    ///
    /// - Returns: How many records the service took, or that another flush is under way.
    /// - Throws: `KinesisError`: `unknown` without network or credentials, `cache` where the disk fails. The flush ends
    ///   there, and no attempt is counted. Also `unknown`, once the other streams were sent, where the service's answer
    ///   leaves open what became of records; they stay, uncounted.
    @discardableResult
    public func flush() async throws -> FlushData {
        try await kinesisErrors { () async throws(RecordClientError) in try await client.flush() }
    }

    /// Sends everything that was recorded before the call, each record once, after a flush that is under way.
    ///
    /// Otherwise as ``flush()``. A stream that refuses a whole batch is left until the next flush.
    ///
    /// - Returns: How many records the service took.
    /// - Throws: As ``flush()``.
    @discardableResult
    public func drain() async throws -> FlushData {
        try await kinesisErrors { () async throws(RecordClientError) in try await client.drain() }
    }

    /// Deletes every cached record, unsent.
    ///
    /// - Returns: How many there were.
    /// - Throws: `KinesisError.cache` where the disk fails.
    @discardableResult
    public func clearCache() async throws -> ClearCacheData {
        try await kinesisErrors { () async throws(RecordClientError) in try await client.clearCache() }
    }

    /// Takes records again, and flushes by itself again, the first time one interval from now.
    public func enable() async { client.enable() }

    /// Drops what is recorded from now on, and stops flushing by itself. What is cached stays, and `flush()` sends it; a
    /// flush under way goes on.
    public func disable() async { client.disable() }

    /// The service's own client, with this client's configuration and credentials, for all other operations.
    public func getKinesisClient() -> KinesisClient { kinesis }

    /// What happens to cached records from now on, until the client is released.
    ///
    /// Each call gives a sequence of its own, for one reader. Of a reader that does not keep up, the oldest events beyond
    /// 1,024 are dropped.
    public func events() -> AsyncStream<RecordEvent> { client.events() }

    private func kinesisErrors<T>(_ body: () async throws(RecordClientError) -> T) async throws(KinesisError) -> T {
        do {
            return try await body()
        } catch {
            throw KinesisError(error)
        }
    }
}
