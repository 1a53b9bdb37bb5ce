public import AWSKinesisClient
import AWSServiceClients
public import Foundation
public import RecordClientFoundation
import RecorderAWS
import RecorderStore

/// Caches records for Kinesis Data Streams on disk, and sends them later in batches.
///
/// ```swift
/// let kinesis = try AmplifyKinesisClient(
///     region: "us-east-1",
///     options: .init(cacheMaxBytes: 50 * 1_024 * 1_024, flushStrategy: .interval(60))
/// )
/// do {
///     try await kinesis.record(data: data, partitionKey: "partition-1", streamName: "my-stream")
///     let result = try await kinesis.drain()  // optional: a flush runs every 60 s
///     print("delivered \(result.recordsFlushed)")
/// } catch KinesisError.cacheLimitExceeded {
///     print("the cache is full: this record was not stored")
/// } catch KinesisError.unknown {
///     print("no network or no credentials: the records stay in the cache")
/// }
/// ```
/// A recorded record is on disk and survives a power loss. It stays until the service has accepted it, or has failed it
/// `maxRetries` + 1 times; being offline or without credentials does not count. The cache belongs to the program, the
/// region and the service: clients for the same region share it, within a process and across processes, and send no record
/// twice. A full cache refuses new records; ``RecordClientOptions`` has the limits, and ``events()`` reports each discarded record.
///
/// ``SDKToFoundationCredentialsAdapter`` makes a provider of one for the recorders or the service clients.
///
/// Safe to use from any thread, task or actor. A released client stops its automatic flushes and closes its files.
public final class AmplifyKinesisClient: Sendable {
    private let client: RecordClient
    private let kinesis: KinesisClient

    /// Creates a client that is enabled and flushes automatically according to its options. Opens no file before the first
    /// call.
    ///
    /// - Parameters:
    ///   - region: The region to send to, such as `us-east-1`; also names the cache.
    ///   - credentialsProvider: Provides keys; called before each request.
    ///   - options: All other settings.
    /// - Throws: `KinesisError.validation` if the region or an option is invalid, `KinesisError.cache` if there is no home
    ///   directory for the cache.
    public convenience init(
        region: String,
        credentialsProvider: any AWSCredentialsProvider,
        options: Options = Options()
    ) throws {
        try self.init(region: region, options: options) { _ in ProviderCredentials(credentialsProvider) }
    }

    /// Creates a client with the credentials of this machine: the environment, a profile, a container, an instance. They are
    /// looked for at the first flush.
    ///
    /// - Parameters:
    ///   - region: The region to send to, such as `us-east-1`; also names the cache.
    ///   - options: All other settings.
    /// - Throws: `KinesisError.validation` if the region or an option is invalid, `KinesisError.cache` if there is no home
    ///   directory for the cache.
    public convenience init(region: String, options: Options = Options()) throws {
        try self.init(region: region, options: options) { DefaultAWSCredentialIdentityResolverChain(in: $0) }
    }

    private init(
        region: String,
        options: Options,
        credentials: (Region) -> any AWSCredentialIdentityResolver
    ) throws {
        do {
            let credentials = credentials(try RecordClient.region(named: region))
            let settings = try RecordClientSettings(options, for: .kinesis)
            var configuration = try KinesisClient.KinesisClientConfiguration(region: region)
            options.configureClient?(&configuration)
            RecordClient.prepare(
                configuration,
                credentials: credentials,
                client: KinesisClient.clientName,
                product: "amplify-kinesis"
            )
            let kinesis = KinesisClient(config: configuration)
            self.kinesis = kinesis
            client = try RecordClient(
                .kinesis,
                name: "AmplifyKinesisClient",
                region: region,
                settings: settings,
                calls: kinesis.calls
            )
        } catch let error as RecordClientError {
            throw KinesisError(error)
        }
    }

    deinit { client.close() }

    /// Caches one record; returns once it is on disk. Drops the record silently while the client is disabled.
    ///
    /// - Parameters:
    ///   - data: The payload; up to 10 MiB together with the partition key's UTF-8 bytes. A stream accepts 1 MiB unless its own
    ///     maximum was raised; a larger record counts a failed attempt, reported with both sizes.
    ///   - partitionKey: Decides the shard; 1 to 256 Unicode scalars.
    ///   - streamName: The stream to send it to: 1 to 128 letters, digits, `_`, `.` and `-`; or its ARN, which may be that of
    ///     another account, in the client's region.
    /// - Returns: A value without content.
    /// - Throws: `KinesisError`: `validation`, `cacheLimitExceeded` or `cache`. The record is not stored then.
    @discardableResult
    public func record(data: Data, partitionKey: String, streamName: String) async throws -> RecordData {
        try await withKinesisError(
            try await client.record(data, partitionKey: partitionKey, streamName: streamName)
        )
    }

    /// Caches many records with one call; returns once all are on disk. Drops them silently while the client is disabled.
    ///
    /// This costs a fraction of as many calls of `record(data:partitionKey:streamName:)`. The records keep their order. If one is
    /// invalid, none is stored; after another error those that are stored are the first ones, and the error's description says
    /// how many.
    ///
    /// - Parameters:
    ///   - payloads: The payloads; each up to 10 MiB together with the partition key's UTF-8 bytes.
    ///   - partitionKey: Decides the shard of all of them; 1 to 256 Unicode scalars.
    ///   - streamName: The stream to send them to: 1 to 128 letters, digits, `_`, `.` and `-`; or its ARN.
    /// - Returns: A value without content.
    /// - Throws: `KinesisError`: `validation`, `cacheLimitExceeded` or `cache`.
    @discardableResult
    public func record(
        contentsOf payloads: [Data],
        partitionKey: String,
        streamName: String
    ) async throws -> RecordData {
        try await withKinesisError(
            try await client.record(contentsOf: payloads, partitionKey: partitionKey, streamName: streamName)
        )
    }

    /// Caches one record without a partition key, for a stream that distributes records by itself: one whose record distribution
    /// strategy is `AUTO`.
    ///
    /// Otherwise like ``record(data:partitionKey:streamName:)``. Another stream refuses the record, which counts as an attempt.
    /// In the limits, the record counts 36 bytes for a key that is not sent.
    ///
    /// - Parameters:
    ///   - data: The payload; up to 10 MiB less 36 bytes.
    ///   - streamName: The stream to send it to: its name or its ARN.
    /// - Returns: A value without content.
    /// - Throws: `KinesisError`: `validation`, `cacheLimitExceeded` or `cache`. The record is not stored then.
    @discardableResult
    public func record(data: Data, streamName: String) async throws -> RecordData {
        try await withKinesisError(try await client.record(data, partitionKey: nil, streamName: streamName))
    }

    /// Caches many records without partition keys, for a stream that distributes records by itself.
    ///
    /// Otherwise like ``record(contentsOf:partitionKey:streamName:)`` and ``record(data:streamName:)``.
    ///
    /// - Parameters:
    ///   - payloads: The payloads; each up to 10 MiB less 36 bytes.
    ///   - streamName: The stream to send them to: its name or its ARN.
    /// - Returns: A value without content.
    /// - Throws: `KinesisError`: `validation`, `cacheLimitExceeded` or `cache`.
    @discardableResult
    public func record(contentsOf payloads: [Data], streamName: String) async throws -> RecordData {
        try await withKinesisError(
            try await client.record(contentsOf: payloads, partitionKey: nil, streamName: streamName)
        )
    }

    /// Sends the oldest records of each stream: one batch of up to 500 records or 10 MiB. Works while disabled, too.
    ///
    /// If the service fails records or refuses a stream, that counts as one attempt of each record; it is reported by
    /// `events()`, and the other streams continue. Cancelling the task ends the flush. Records without a response stay, and
    /// no attempt is counted.
    ///
    /// - Returns: The number of records that the service accepted, or that another flush is in progress.
    /// - Throws: `KinesisError`: `unknown` without network or credentials, `cache` if the disk fails. The flush ends
    ///   there, and no attempt is counted. Also `unknown`, after the other streams were sent, if a response leaves open
    ///   which records were accepted; they stay, and no attempt is counted.
    @discardableResult
    public func flush() async throws -> FlushData {
        try await withKinesisError(try await client.flush())
    }

    /// Sends all records that were recorded before the call, each of them once. Waits for a flush in progress first.
    ///
    /// Otherwise like ``flush()``. A stream that refuses a whole batch is skipped until the next flush.
    ///
    /// - Returns: The number of records that the service accepted.
    /// - Throws: Like ``flush()``.
    @discardableResult
    public func drain() async throws -> FlushData {
        try await withKinesisError(try await client.drain())
    }

    /// Deletes all cached records without sending them.
    ///
    /// - Returns: Their number.
    /// - Throws: `KinesisError.cache` if the disk fails.
    @discardableResult
    public func clearCache() async throws -> ClearCacheData {
        try await withKinesisError(try await client.clearCache())
    }

    /// Accepts records again and resumes automatic flushes, the first one interval from now.
    public func enable() async { client.enable() }

    /// Drops records from now on and stops automatic flushes. Cached records stay, and `flush()` sends them. A flush in
    /// progress continues.
    public func disable() async { client.disable() }

    /// The service's own client, with this client's configuration and credentials, for all other operations.
    public func getKinesisClient() -> KinesisClient { kinesis }

    /// Events about cached records from now on, until the client is released.
    ///
    /// Each call returns a new sequence, for one reader. If a reader falls behind by more than 1,024 events, the oldest are
    /// dropped.
    public func events() -> AsyncStream<RecordEvent> { client.events() }

    private func withKinesisError<T>(
        _ body: @autoclosure () async throws(RecordClientError) -> T
    ) async throws(KinesisError) -> T {
        do {
            return try await body()
        } catch {
            throw KinesisError(error)
        }
    }
}

/// Changes the configuration of the service's own client before it is created. Credentials set here are not used.
public typealias AmplifyKinesisClientConfigurationProvider = (
    inout KinesisClient.KinesisClientConfiguration
) -> Void

extension AmplifyKinesisClient {
    /// The options of a client.
    public typealias Options = RecordClientOptions<KinesisClient.KinesisClientConfiguration>
}
