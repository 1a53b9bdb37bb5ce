import AmplifyFirehoseClient
import AmplifyFoundation
import AmplifyKinesisClient
import Foundation
import RecorderAWS
import RecorderTestSupport
import Testing

/// Which of the two clients: every law is tested of both.
enum ClientKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case kinesis, firehose

    var testDescription: String { rawValue }

    /// Bytes of one request, and of one record.
    var requestLimit: Int { self == .kinesis ? 10 << 20 : 4 << 20 }
    var recordLimit: Int { self == .kinesis ? 10 << 20 : 1_024_000 }
}

/// The options that tests vary; no automatic flush, one try a request.
struct TestOptions {
    var region = "us-east-1"
    var cacheMaxBytes: Int64 = 5 * 1_024 * 1_024
    var maxRetries = 5
    var flushStrategy = FlushStrategy.none
    var flushDrains = false
    var maxAttempts: Int? = 1
    var provider: any AWSCredentialsProvider = Keys()
    /// In place of the test's directory.
    var storeDirectory: URL?
    /// Changes more of the configuration.
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

/// A client of one side over a directory and a service of the test's own.
struct TestClient: Sendable {
    private enum Either: Sendable {
        case kinesis(AmplifyKinesisClient)
        case firehose(AmplifyFirehoseClient)
    }

    let directory: TemporaryDirectory
    private let client: Either

    /// In a run that looks for secrets the clients' own log is written out, too.
    private static let isHeard: Void = {
        guard CanaryRun.directory != nil else { return }
        AmplifyLogging.addSink(AmplifyStandardErrorLogSink(logLevel: .verbose))
    }()

    init(
        _ side: ClientKind,
        to url: String,
        in directory: TemporaryDirectory? = nil,
        _ adjust: (inout TestOptions) -> Void = { _ in }
    ) throws {
        Self.isHeard
        var options = TestOptions()
        adjust(&options)
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        switch side {
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

    /// Many at once; they share commits.
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

    /// How many records were cached; none are afterwards.
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

    /// One call with the service's own client.
    func list() async throws {
        switch client {
        case .kinesis(let client): _ = try await client.getKinesisClient().listStreams(input: ListStreamsInput())
        case .firehose(let client):
            _ = try await client.getFirehoseClient().listDeliveryStreams(input: ListDeliveryStreamsInput())
        }
    }
}
