import AWSKinesisClient
import AWSServiceClients
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import SmithyHTTPAPI
import Testing

/// A client that sends its requests through an engine of the user.
@Suite(.timeLimit(.minutes(5))) struct HTTPEngineTests {
    private static let lists = #"{"StreamNames":["a"],"HasMoreStreams":false}"#

    private static func client(
        to url: String = "http://127.0.0.1:1",
        adjust: (KinesisClient.KinesisClientConfiguration) -> Void
    ) throws -> KinesisClient {
        let configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1", endpoint: url)
        let keys = AWSCredentialIdentity(accessKey: Canary.accessKey, secret: Canary.secret, sessionToken: Canary.token)
        configuration.awsCredentialIdentityResolver = StaticAWSCredentialIdentityResolver(keys)
        configuration.retryStrategyOptions = RetryStrategyOptions(backoffStrategy: AtOnce())
        adjust(configuration)
        return KinesisClient(config: configuration)
    }

    @Test func `an engine that wraps the client's own sends every call and may add a header`() async throws {
        let server = try LocalServer { _, _ in .json(200, Self.lists) }
        let requests = Locked<[HTTPRequest]>([])
        let client = try Self.client(to: server.url) { config in
            let own = config.httpClientEngine
            config.httpClientEngine = Engine { request in
                requests.withLock { $0.append(request) }
                request.withHeader(name: "X-Added", value: "by the engine")
                return try await own.send(request: request)
            }
        }
        #expect(try await client.listStreams(input: ListStreamsInput()).streamNames == ["a"])
        #expect(try await client.listStreams(input: ListStreamsInput()).streamNames == ["a"])
        let seen = try #require(requests.withLock { $0 }.first)
        let came = try #require(server.requests.first)
        #expect(requests.withLock { $0.count } == 2 && server.requests.count == 2)
        #expect(seen.method == .post && seen.path == "/" && seen.host == "127.0.0.1")
        #expect(seen.destination.url == URL(string: server.url + "/"))
        #expect(try await seen.body.readData() == Data(came.body))
        #expect(came.header("X-Added") == "by the engine")
        for name in ["authorization", "X-Amz-Security-Token", "X-Amz-Target", "User-Agent", "Content-Type"] {
            #expect(seen.headers.value(for: name) != nil, "\(name)")
            #expect(seen.headers.value(for: name) == came.header(name), "\(name)")
        }
    }

    @Test(arguments: [
        (AccountIDEndpointMode.preferred, "111122223333.control-kinesis.us-east-1.amazonaws.com"),
        (.required, "111122223333.control-kinesis.us-east-1.amazonaws.com"),
        (.disabled, "kinesis.us-east-1.amazonaws.com"),
    ])
    func `requests go to the host of the identity's account, as the configuration says`(
        mode: AccountIDEndpointMode,
        host: String
    ) async throws {
        let keys = AWSCredentialIdentity(accessKey: Canary.accessKey, secret: Canary.secret, accountID: "111122223333")
        let client = try Self.client { config in
            config.endpoint = nil
            config.ignoreConfiguredEndpointURLs = true
            config.awsCredentialIdentityResolver = StaticAWSCredentialIdentityResolver(keys)
            config.accountIdEndpointMode = mode
            config.httpClientEngine = Engine { request in
                #expect(request.host == host)
                return HTTPResponse(statusCode: .ok, body: .data(Data(Self.lists.utf8)))
            }
        }
        #expect(try await client.listStreams(input: ListStreamsInput()).streamNames == ["a"])
    }

    @Test func `an engine that answers by itself needs no network`() async throws {
        let client = try Self.client { config in
            config.httpClientEngine = Engine { request in
                #expect(request.headers.value(for: "X-Amz-Target") == "Kinesis_20131202.ListStreams")
                return HTTPResponse(statusCode: .ok, body: .data(Data(Self.lists.utf8)))
            }
        }
        #expect(try await client.listStreams(input: ListStreamsInput()).streamNames == ["a"])
    }

    @Test func `an engine's answers are handled like any others`() async throws {
        let attempts = Locked(0)
        let client = try Self.client { config in
            config.httpClientEngine = Engine { _ in
                let isFirst = attempts.withLock { count in
                    count += 1
                    return count == 1
                }
                let text = #"{"__type":"ResourceNotFoundException","message":"no such stream"}"#
                return HTTPResponse(
                    headers: Headers(["Content-Type": "application/x-amz-json-1.1"]),
                    body: isFirst ? .noStream : .data(Data(text.utf8)),
                    statusCode: isFirst ? .serviceUnavailable : .badRequest
                )
            }
        }
        await #expect(throws: ResourceNotFoundException.self) {
            try await client.listStreams(input: ListStreamsInput())
        }
        #expect(attempts.withLock { $0 } == 2)
    }

    @Test(arguments: [
        (URLError(.networkConnectionLost) as any Error, 3), (URLError(.timedOut), 3),
        (URLError(.cannotConnectToHost), 1), (URLError(.serverCertificateUntrusted), 1), (Broken(), 1),
    ])
    func `an engine's error counts as no answer, and is retried if it may be temporary`(error: any Error, attempts: Int)
        async throws
    {
        let sent = Locked(0)
        let client = try Self.client { config in
            config.httpClientEngine = Engine { _ in
                sent.withLock { $0 += 1 }
                throw error
            }
        }
        let failure = await #expect(throws: AWSClientError.self) {
            try await client.listStreams(input: ListStreamsInput())
        }
        #expect(failure?.kind == .noAnswer)
        #expect(failure?.message.contains("httpClientEngine: \(error.localizedDescription)") == true)
        #expect(sent.withLock { $0 } == attempts)
    }

    @Test func `a cancelled call does not wait for an engine that ignores cancellation`() async throws {
        let begun = AsyncStream.makeStream(of: Void.self)
        let never = Locked<CheckedContinuation<Void, Never>?>(nil)
        let client = try Self.client { config in
            config.httpClientEngine = Engine { _ in
                await withCheckedContinuation { continuation in
                    never.withLock { $0 = continuation }
                    begun.continuation.yield()
                }
                return HTTPResponse(statusCode: .ok)
            }
        }
        let call = Task { try await client.listStreams(input: ListStreamsInput()) }
        for await _ in begun.stream { break }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        never.withLock { $0 }?.resume()
    }

    @Test func `the client's own engine keeps the client's time limits when it is wrapped`() async throws {
        let server = try LocalServer { _, _ in .stall }
        let client = try Self.client(to: server.url) { config in
            let own = config.httpClientEngine
            config.httpClientEngine = Engine { try await own.send(request: $0) }
            // Set after the engine was read.
            config.httpClientConfiguration.socketTimeout = 0.2
            config.maxAttempts = 1
        }
        let failure = await #expect(throws: AWSClientError.self) {
            try await client.listStreams(input: ListStreamsInput())
        }
        #expect(failure?.message.contains("no byte moved for 0.2 seconds") == true)
    }

    @Test func `requests and answers show neither headers nor bodies`() throws {
        let uri = try #require(URI("https://kinesis.us-east-1.amazonaws.com"))
        let body = ByteStream.data(Data("a record".utf8))
        let request = HTTPRequest(
            method: .post,
            uri: uri,
            headers: Headers(["Authorization": Canary.secret]),
            body: body
        )
        let response = HTTPResponse(headers: request.headers, statusCode: .ok, body: body)
        var text = "\(request) \(String(reflecting: request)) \(response) \(String(reflecting: response)) \(body)"
        dump(request, to: &text)
        dump(response, to: &text)
        #expect(text.contains("POST https://kinesis.us-east-1.amazonaws.com/") && text.contains("8 bytes"))
        #expect(!text.contains(Canary.secret) && !text.contains("a record"))
    }
}

private struct Engine: HTTPClient {
    let answer: @Sendable (HTTPRequest) async throws -> HTTPResponse

    func send(request: HTTPRequest) async throws -> HTTPResponse { try await answer(request) }
}

private struct AtOnce: RetryBackoffStrategy {
    func computeNextBackoffDelay(attempt: Int) -> TimeInterval { 0 }
}

private struct Broken: LocalizedError {
    var errorDescription: String? { "the engine is broken" }
}
