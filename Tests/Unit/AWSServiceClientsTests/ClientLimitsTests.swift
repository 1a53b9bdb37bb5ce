import AWSFirehoseClient
import AWSKinesisClient
import AWSServiceClients
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import SmithyHTTPAPI
import Testing

/// The limits of a client: requests at the same time, and the quota of retries.
@Suite(.timeLimit(.minutes(5))) struct ClientLimitsTests {
    private static func client(
        engine: some HTTPClient,
        adjust: (KinesisClient.KinesisClientConfiguration) -> Void
    ) throws -> KinesisClient {
        let configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1", httpClientEngine: engine)
        let keys = AWSCredentialIdentity(accessKey: Canary.accessKey, secret: Canary.secret)
        configuration.awsCredentialIdentityResolver = StaticAWSCredentialIdentityResolver(keys)
        configuration.retryStrategyOptions = RetryStrategyOptions(backoffStrategy: NoDelay())
        adjust(configuration)
        return KinesisClient(config: configuration)
    }

    @Test func `no more requests than maxConnections are sent at the same time`() async throws {
        let engine = HeldEngine()
        let client = try Self.client(engine: engine) { config in
            config.httpClientConfiguration = HttpClientConfiguration(connectTimeout: 5, maxConnections: 2)
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { _ = try await client.listStreams(input: ListStreamsInput()) } }
            for _ in 0..<8 {
                await engine.arrival()
                engine.answerOne()
            }
            try await group.waitForAll()
        }
        #expect(engine.most <= 2)
    }

    @Test(arguments: [nil, 0, -1])
    func `without a positive maxConnections all requests are sent at once`(limit: Int?) async throws {
        let engine = HeldEngine()
        let client = try Self.client(engine: engine) { $0.httpClientConfiguration.maxConnections = limit }
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { _ = try await client.listStreams(input: ListStreamsInput()) } }
            for _ in 0..<8 { await engine.arrival() }
            for _ in 0..<8 { engine.answerOne() }
            try await group.waitForAll()
        }
        #expect(engine.most == 8)
    }

    @Test func `a cancelled call does not wait for a connection, and leaves it to others`() async throws {
        let engine = HeldEngine()
        let client = try Self.client(engine: engine) { $0.httpClientConfiguration.maxConnections = 1 }
        @Sendable func call() -> Task<Void, any Error> {
            Task { _ = try await client.listStreams(input: ListStreamsInput()) }
        }
        let first = call()
        await engine.arrival()
        let cancelled = call()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        engine.answerAll()
        try await first.value
        try await call().value
        #expect(engine.most == 1)
    }

    @Test(arguments: [(0, 500, 1), (-1, 500, 1), (14, 500, 2), (500, 28, 3), (500, -1, 1), (.max, .max, 6)])
    func `a client without tokens in its quota retries no more`(
        available: Int,
        maximum: Int,
        attempts: Int
    ) async throws {
        let sent = Locked(0)
        let engine = ClosureEngine { _ in
            sent.withLock { $0 += 1 }
            return HTTPResponse(statusCode: .internalServerError)
        }
        let client = try Self.client(engine: engine) { config in
            config.retryStrategyOptions = RetryStrategyOptions(
                backoffStrategy: NoDelay(),
                maxRetriesBase: 5,
                availableCapacity: available,
                maxCapacity: maximum
            )
        }
        await #expect(throws: UnknownAWSHTTPServiceError.self) {
            try await client.listStreams(input: ListStreamsInput())
        }
        #expect(sent.withLock { $0 } == attempts)
    }

    @Test func `adaptive is accepted, and the log says once that it is the same as standard`() async throws {
        let exit = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for _ in 0..<2 {
                let mode = try KinesisClient.KinesisClientConfiguration(awsRetryMode: .adaptive, region: "us-east-1")
                _ = KinesisClient(config: mode)
                let options = try FirehoseClient.FirehoseClientConfiguration(region: "us-east-1")
                options.retryStrategyOptions = RetryStrategyOptions(rateLimitingMode: .adaptive)
                _ = FirehoseClient(config: options)
            }
        }
        let log = String(decoding: try #require(exit).standardErrorContent, as: UTF8.self)
        #expect(log.ranges(of: "adaptive is the same as standard").count == 1)
    }

    @Test func `standard logs nothing`() async throws {
        let exit = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let mode = try KinesisClient.KinesisClientConfiguration(awsRetryMode: .legacy, region: "us-east-1")
            _ = KinesisClient(config: mode)
        }
        #expect(!String(decoding: try #require(exit).standardErrorContent, as: UTF8.self).contains("adaptive"))
    }
}

private struct NoDelay: RetryBackoffStrategy {
    func computeNextBackoffDelay(attempt: Int) -> TimeInterval { 0 }
}

private struct ClosureEngine: HTTPClient {
    let answer: @Sendable (HTTPRequest) async throws -> HTTPResponse

    func send(request: HTTPRequest) async throws -> HTTPResponse { try await answer(request) }
}

/// Holds every request until the test answers one, and counts those that it holds.
private final class HeldEngine: HTTPClient {
    private struct State {
        var held: [CheckedContinuation<Void, Never>] = []
        var most = 0
        var isOpen = false
    }

    private let state = Locked(State())
    private let arrivals = AsyncStream<Void>.makeStream()

    /// The largest number of requests at the same time.
    var most: Int { state.withLock { $0.most } }

    func send(request: HTTPRequest) async throws -> HTTPResponse {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.held.append(continuation) }
                state.most = max(state.most, state.held.count)
                return state.isOpen
            }
            if isOpen { continuation.resume() }
            arrivals.continuation.yield()
        }
        return HTTPResponse(statusCode: .ok, body: .data(Data(#"{"StreamNames":[]}"#.utf8)))
    }

    /// Waits for a request that this was not called for yet.
    func arrival() async { for await _ in arrivals.stream { return } }

    /// Answers all requests, later ones too.
    func answerAll() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func answerOne() { state.withLock { $0.held.removeFirst() }.resume() }
}
