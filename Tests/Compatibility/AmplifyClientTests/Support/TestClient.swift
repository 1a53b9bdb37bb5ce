import AmplifyFirehoseClient
import AmplifyFoundation
import AmplifyKinesisClient
import Foundation
import RecorderAWS
import RecorderTestSupport
import Testing

/// The two clients. Tests run with both.
enum ClientKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case kinesis, firehose

    var testDescription: String { rawValue }

    /// Bytes of one request, and of one record.
    var requestLimit: Int { self == .kinesis ? 10 << 20 : 4 << 20 }
    var recordLimit: Int { self == .kinesis ? 10 << 20 : 1_024_000 }
}

/// The options that tests vary; by default no automatic flush and one attempt per request.
struct TestOptions {
    var region = "us-east-1"
    var cacheMaxBytes: Int64 = 5 * 1_024 * 1_024
    var maxRetries = 5
    var flushStrategy = FlushStrategy.none
    var flushDrains = false
    var maxAttempts: Int? = 1
    var provider: any AWSCredentialsProvider = TestCredentials()
    /// Replaces the test's directory.
    var storeDirectory: URL?
    /// Further changes of the configuration.
    var configure: (AWSClientConfiguration) -> Void = { _ in }

    func recordClientOptions<Configuration>(
        in directory: TemporaryDirectory,
        configure: @escaping (inout Configuration) -> Void
    ) -> RecordClientOptions<Configuration> {
        RecordClientOptions(
            cacheMaxBytes: cacheMaxBytes,
            maxRetries: maxRetries,
            flushStrategy: flushStrategy,
            configureClient: configure,
            flushDrains: flushDrains,
            storeDirectory: storeDirectory ?? URL(fileURLWithPath: directory.path)
        )
    }
}

/// A client of either kind, with the test's own directory and service.
struct TestClient: Sendable {
    private enum Either: Sendable {
        case kinesis(AmplifyKinesisClient)
        case firehose(AmplifyFirehoseClient)
    }

    let directory: TemporaryDirectory
    private let client: Either

    /// In a run that searches for secrets, the clients' log is included.
    private static let logsToStandardError: Void = {
        guard CanaryRun.directory != nil else { return }
        AmplifyLogging.addSink(AmplifyStandardErrorLogSink(logLevel: .verbose))
    }()

    init(
        _ kind: ClientKind,
        to url: String,
        in directory: TemporaryDirectory? = nil,
        _ adjust: (inout TestOptions) -> Void = { _ in }
    ) throws {
        Self.logsToStandardError
        var options = TestOptions()
        adjust(&options)
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        switch kind {
        case .kinesis:
            client = .kinesis(
                try AmplifyKinesisClient(
                    region: options.region,
                    credentialsProvider: options.provider,
                    options: options.recordClientOptions(in: directory) { [options] config in
                        config.endpoint = url
                        config.maxAttempts = options.maxAttempts
                        options.configure(config)
                    }
                )
            )
        case .firehose:
            client = .firehose(
                try AmplifyFirehoseClient(
                    region: options.region,
                    credentialsProvider: options.provider,
                    options: options.recordClientOptions(in: directory) { [options] config in
                        config.endpoint = url
                        config.maxAttempts = options.maxAttempts
                        options.configure(config)
                    }
                )
            )
        }
        switch client {
        case .kinesis(let client): CanaryRun.show(client, client.getKinesisClient().config)
        case .firehose(let client): CanaryRun.show(client, client.getFirehoseClient().config)
        }
    }

    func record(_ data: Data, key: String = "key", to stream: String = "stream") async throws {
        switch client {
        case .kinesis(let client): try await client.record(data: data, partitionKey: key, streamName: stream)
        case .firehose(let client): try await client.record(data: data, streamName: stream)
        }
    }

    func record(_ text: String, to stream: String = "stream") async throws {
        try await record(Data(text.utf8), to: stream)
    }

    /// Records many with one call.
    func record(contentsOf payloads: [Data], key: String = "key", to stream: String = "stream") async throws {
        switch client {
        case .kinesis(let client):
            try await client.record(contentsOf: payloads, partitionKey: key, streamName: stream)
        case .firehose(let client): try await client.record(contentsOf: payloads, streamName: stream)
        }
    }

    /// Records many concurrently; they share commits.
    func record(_ texts: [String], to stream: String = "stream") async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for text in texts { group.addTask { try await record(text, to: stream) } }
            try await group.waitForAll()
        }
    }

    @discardableResult
    func flush() async throws -> FlushData {
        switch client {
        case .kinesis(let client): try await client.flush()
        case .firehose(let client): try await client.flush()
        }
    }

    @discardableResult
    func drain() async throws -> FlushData {
        switch client {
        case .kinesis(let client): try await client.drain()
        case .firehose(let client): try await client.drain()
        }
    }

    /// Clears the cache and returns the number of deleted records.
    func clear() async throws -> Int {
        switch client {
        case .kinesis(let client): try await client.clearCache().recordsCleared
        case .firehose(let client): try await client.clearCache().recordsCleared
        }
    }

    func enable() async {
        switch client {
        case .kinesis(let client): await client.enable()
        case .firehose(let client): await client.enable()
        }
    }

    func disable() async {
        switch client {
        case .kinesis(let client): await client.disable()
        case .firehose(let client): await client.disable()
        }
    }

    func events() -> AsyncStream<RecordEvent> {
        switch client {
        case .kinesis(let client): client.events()
        case .firehose(let client): client.events()
        }
    }

    /// Makes one call with the service's own client.
    func list() async throws {
        switch client {
        case .kinesis(let client): _ = try await client.getKinesisClient().listStreams(input: ListStreamsInput())
        case .firehose(let client):
            _ = try await client.getFirehoseClient().listDeliveryStreams(input: ListDeliveryStreamsInput())
        }
    }
}
