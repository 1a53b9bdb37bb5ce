import AmplifyFirehoseClient
import AmplifyFoundation
import AmplifyKinesisClient
import AmplifyRecordCache
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import SmithyHTTPAPI
import Testing

/// The requests that are sent.
@Suite struct RequestTests {
    @Test(arguments: ClientKind.allCases)
    func `the user agent names Amplify and the client, for the service's own client too`(kind: ClientKind) async throws
    {
        let lists = #"""
            {"StreamNames":[],"HasMoreStreams":false,"DeliveryStreamNames":[],"HasMoreDeliveryStreams":false}
            """#
        let server = try LocalServer { request, _ in
            request.operation?.hasPrefix("List") == true ? .json(200, lists) : ReceivedPut(request).reply()
        }
        let client = try TestClient(kind, to: server.url)
        try await client.record("text")
        try await client.flush()
        try await client.list()
        let version = AmplifyMetadata.version
        let agents = server.requests.map { $0.header("User-Agent") ?? "" }
        #expect(agents.count == 2)
        for agent in agents {
            #expect(agent.hasSuffix(" lib/amplify-swift#\(version) md/amplify-\(kind)#\(version)"), "\(agent)")
        }
    }

    @Test func `a Kinesis client sends CBOR if its options say so, and JSON by default`() async throws {
        let server = try LocalServer { request, _ in ReceivedPut(request).reply().encoded(for: request) }
        let directory = try TemporaryDirectory()
        let storeDirectory = URL(fileURLWithPath: directory.path)
        typealias Options = AmplifyKinesisClient.Options
        let configure: AmplifyKinesisClientConfigurationProvider = { $0.endpoint = server.url }
        let cases = [
            Options(flushStrategy: .none, configureClient: configure, storeDirectory: storeDirectory),
            Options(
                flushStrategy: .none,
                configureClient: configure,
                storeDirectory: storeDirectory,
                requestFormat: .cbor
            ),
        ]
        #expect(cases.map(\.requestFormat) == [.json, .cbor])
        for options in cases {
            let client = try AmplifyKinesisClient(
                region: "us-east-1",
                credentialsProvider: TestCredentials(),
                options: options
            )
            try await client.record(data: Data("text".utf8), partitionKey: "k", streamName: "stream")
            #expect(try await client.flush().recordsFlushed == 1)
        }
        #expect(server.requests.map(\.isCBOR) == [false, true])
        #expect(server.requests.map { ReceivedPut($0).texts } == [["text"], ["text"]])
    }

    @Test func `a client without a provider signs with this machine's credentials`() async {
        // Variables are the whole process's.
        await #expect(processExitsWith: .success) {
            setenv("AWS_ACCESS_KEY_ID", "AKIDMACHINE", 1)
            setenv("AWS_SECRET_ACCESS_KEY", Canary.secret, 1)
            let server = try AcceptingServer()
            setenv("AWS_ENDPOINT_URL", server.url, 1)
            let directory = try TemporaryDirectory()
            setenv("AWS_KINESIS_RECORDER_DIR", directory.path, 1)
            let data = Data("text".utf8)
            let kinesis = try AmplifyKinesisClient(region: "eu-west-1")
            try await kinesis.record(data: data, partitionKey: "k", streamName: "stream")
            #expect(try await kinesis.flush().recordsFlushed == 1)
            let firehose = try AmplifyFirehoseClient(region: "eu-west-1", options: .init(flushStrategy: .none))
            try await firehose.record(data: data, streamName: "stream")
            #expect(try await firehose.flush().recordsFlushed == 1)
            let signed = server.server.requests.map { $0.header("Authorization") ?? "" }
            #expect(signed.count == 2 && signed.allSatisfy { $0.contains("Credential=AKIDMACHINE/") }, "\(signed)")
        }
    }

    @Test
    func `a client without a provider and without credentials says where they were looked for, and keeps its records`()
        async
    {
        await #expect(processExitsWith: .success) {
            for name in ["AWS_ACCESS_KEY_ID", "AWS_PROFILE"] { unsetenv(name) }
            setenv("AWS_EC2_METADATA_DISABLED", "true", 1)
            let directory = try TemporaryDirectory()
            setenv("HOME", directory.path, 1)
            setenv("AWS_KINESIS_RECORDER_DIR", directory.path, 1)
            let client = try AmplifyKinesisClient(region: "eu-west-1")
            try await client.record(data: Data("text".utf8), partitionKey: "k", streamName: "stream")
            let error = await #expect(throws: KinesisError.self) { _ = try await client.flush() }
            let message = error?.localizedDescription ?? ""
            #expect(message.contains("Looked for in this order: (1) environment: "), "\(message)")
            #expect(
                message.contains("(6) EC2 instance: ") && message.contains(". The records stay cached"),
                "\(message)"
            )
            #expect(try await client.clearCache().recordsCleared == 1)
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `the token of temporary credentials is sent`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url) { $0.provider = TemporaryTestCredentials() }
        try await client.record("text")
        try await client.flush()
        let request = try #require(server.server.requests.first)
        #expect(request.header("X-Amz-Security-Token") == Canary.token)
        #expect(request.header("Authorization")?.contains("ASIAEXAMPLE/") == true)
    }

    @Test(arguments: ClientKind.allCases)
    func `an engine set by configureClient carries recorded data and the service's own client's calls`(kind: ClientKind)
        async throws
    {
        let lists =
            #"{"StreamNames":[],"HasMoreStreams":false,"DeliveryStreamNames":[],"HasMoreDeliveryStreams":false}"#
        let server = try LocalServer { request, _ in
            request.operation?.hasPrefix("List") == true ? .json(200, lists) : ReceivedPut(request).reply()
        }
        let engine = Log<HTTPRequest>()
        let client = try TestClient(kind, to: server.url) {
            $0.configure = { $0.httpClientEngine = RecordingEngine(target: $0.httpClientEngine, requests: engine) }
        }
        try await client.record("text")
        #expect(try await client.flush().recordsFlushed == 1)
        try await client.list()
        let targets = engine.all.map { $0.headers.value(for: "X-Amz-Target") }
        #expect(targets.count == 2)
        #expect(targets == server.requests.map { $0.header("X-Amz-Target") })
        let agents = engine.all.map { $0.headers.value(for: "User-Agent") }
        #expect(agents.allSatisfy { $0?.hasSuffix("md/amplify-\(kind)#\(AmplifyMetadata.version)") == true })
    }

    @Test(arguments: ClientKind.allCases)
    func `if an engine reports no network, nothing is counted and the record stays`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let online = Log<Bool>()
        let client = try TestClient(kind, to: server.url) {
            $0.maxRetries = 0
            $0.configure = { $0.httpClientEngine = SwitchableEngine(target: $0.httpClientEngine, online: online) }
        }
        try await client.record("text")
        for _ in 0..<3 { await #expect(throws: (any Error).self) { try await client.flush() } }
        online.append(true)
        #expect(try await client.flush().recordsFlushed == 1)
        #expect(server.texts == ["text"])
    }

    @Test(arguments: ClientKind.allCases)
    func `a log sink gets each request, without keys and records`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let sink = RecordingSink()
        AmplifyLogging.addSink(sink)
        defer { AmplifyLogging.removeSink(id: sink.id) }
        let client = try TestClient(kind, to: server.url) {
            $0.provider = TemporaryTestCredentials()
            $0.configure = { $0.clientLogMode = .requestAndResponseWithBody }
        }
        try await client.record("canary-text")
        try await client.flush()
        let lines = sink.messages.all.filter {
            $0.content.contains(server.url) || $0.content.contains("answer")
        }
        let name = kind == .kinesis ? "KinesisClient" : "FirehoseClient"
        let request = try #require(lines.first { $0.content.hasPrefix("request: POST \(server.url)") })
        #expect(request.level == .debug && request.name == name)
        #expect(request.content.contains(#""Data":text(16)"#))
        for message in lines where message.name == name {
            for secret in [Canary.secret, Canary.token, "canary", Data("canary-text".utf8).base64EncodedString()] {
                #expect(!message.content.contains(secret))
            }
        }
    }

    @Test(arguments: [false, true])
    func `no dump of a client shows its provider's keys`(areTemporary: Bool) throws {
        let provider: any AWSCredentialsProvider = areTemporary ? TemporaryTestCredentials() : TestCredentials()
        let client = try AmplifyKinesisClient(region: "us-east-1", credentialsProvider: provider)
        var text = "\(client) \(String(reflecting: client))"
        dump(client, to: &text)
        dump(client.getKinesisClient(), to: &text)
        for secret in [Canary.accessKey, Canary.secret, Canary.token] { #expect(!text.contains(secret)) }
    }

    @Test func `records keep their order within a stream`() async throws {
        let server = try AcceptingServer()
        let client = try TestClient(.kinesis, to: server.url)
        for number in 0..<50 { try await client.record("\(number)") }
        try await client.flush()
        #expect(server.texts == (0..<50).map(String.init))
    }

    @Test func `without the account that the configuration requires, a flush says what to set and keeps the records`()
        async throws
    {
        let client = try TestClient(.kinesis, to: "") { options in
            options.configure = { config in
                config.endpoint = nil
                config.ignoreConfiguredEndpointURLs = true
                config.accountIdEndpointMode = .required
            }
        }
        try await client.record("text")
        for _ in 0..<2 {
            let error = await #expect(throws: KinesisError.self) { _ = try await client.flush() }
            guard case .unknown(let description, let suggestion, _) = error else {
                Issue.record("\(error as Any)")
                continue
            }
            #expect(description.contains("set AWS_ACCOUNT_ID, or aws_account_id in the profile"))
            #expect(suggestion.contains("the records stay cached"))
        }
    }

    @Test func `the service's own client shows what configureClient sets`() throws {
        let client = try AmplifyKinesisClient(
            region: "eu-central-1",
            credentialsProvider: TestCredentials(),
            options: .init(flushStrategy: .none) { config in
                config.endpoint = "http://127.0.0.1:1"
                config.maxAttempts = 7
                config.httpClientConfiguration.socketTimeout = 5
            }
        )
        let config = client.getKinesisClient().config
        #expect(config.region == "eu-central-1" && config.endpoint == "http://127.0.0.1:1")
        #expect(config.maxAttempts == 7 && config.httpClientConfiguration.socketTimeout == 5)
    }
}

private struct RecordingEngine: HTTPClient {
    let target: any HTTPClient
    let requests: Log<HTTPRequest>

    func send(request: HTTPRequest) async throws -> HTTPResponse {
        requests.append(request)
        return try await target.send(request: request)
    }
}

/// A network that can be switched off.
private struct SwitchableEngine: HTTPClient {
    let target: any HTTPClient
    let online: Log<Bool>

    func send(request: HTTPRequest) async throws -> HTTPResponse {
        guard online.all.contains(true) else { throw URLError(.notConnectedToInternet) }
        return try await target.send(request: request)
    }
}

private struct RecordingSink: LogSinkBehavior {
    let id = UUID().uuidString
    let messages = Log<LogMessage>()

    func isEnabled(for logLevel: LogLevel) -> Bool { true }

    func emit(message: LogMessage) { messages.append(message) }
}

/// A list of elements from any thread, in order.
private final class Log<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
