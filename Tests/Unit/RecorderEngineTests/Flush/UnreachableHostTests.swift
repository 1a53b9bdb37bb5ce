import RecorderAWS
import RecorderConcurrency
import RecorderEngine
import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Testing

/// A flush that cannot connect tries few streams; one that delivers tries all.
@Suite(.timeLimit(.minutes(10))) struct UnreachableHostTests {
    private static let streams = ["a", "b", "c", "d", "e"]

    private func harness(
        to server: LocalServer,
        streams: [String] = streams,
        parallel: Int,
        refusing: @escaping @Sendable (String) -> HTTPFailure.Kind?
    ) async throws -> (PipelineHarness, Recorded<String>) {
        let tried = Recorded<String>()
        let harness = try PipelineHarness(to: server) {
            $0.parallelStreams = parallel
        } calling: {
            $0.maximumRetries = 0
            $0.transport = RefusingTransport(transport: $0.transport, tried: tried, failure: refusing)
        }
        for stream in streams { try await harness.save("text", to: stream) }
        return (harness, tried)
    }

    @Test(arguments: [1, 2], [HTTPFailure.Kind.cannotConnect, .nameNotResolved])
    func `once a stream cannot connect, no further stream is tried, and each reports why it keeps its records`(
        parallel: Int,
        kind: HTTPFailure.Kind
    ) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let isOffline = Locked(true)
        let (harness, tried) = try await harness(to: server, parallel: parallel) { _ in
            isOffline.withLock(\.self) ? kind : nil
        }
        let report = try await harness.flush()
        #expect(Set(tried.all) == Set(Self.streams.prefix(parallel)))
        #expect(report.failures.map(\.stream.rawValue).sorted() == Self.streams)
        #expect(Set(report.failures.map(\.error.message)).count == 1)
        let errors = try harness.pipeline.status().streams.map { $0.lastError?.message }
        #expect(errors == Self.streams.map { _ in report.failures[0].error.message })
        // The next one begins with one.
        #expect(try await harness.flush().failures.count == Self.streams.count)
        #expect(tried.all.count == parallel + 1)
        isOffline.withLock { $0 = false }
        #expect(try await harness.flush().delivered == Self.streams.count)
    }

    @Test func `a stream that cannot connect stops no other, once one has delivered`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let (harness, tried) = try await harness(to: server, parallel: 1) { $0 == "b" ? .cannotConnect : nil }
        let report = try await harness.flush()
        #expect(tried.all == Self.streams)
        #expect(report.delivered == 4 && report.failures.map(\.stream.rawValue) == ["b"])
    }

    @Test func `once another stream is answered, the waiting ones start beside it`() async throws {
        let gate = Gate()
        let requests = Locked(0)
        let server = try LocalServer { request, _ in
            let stream = PutRequestBody(request.body).stream
            if stream == "e" { gate.open() }
            let number = requests.withLock { count in
                if stream == "b" { count += 1 }
                return count
            }
            // While the others are sent.
            if stream == "b", number == 2 { gate.wait() }
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) {
            $0.parallelStreams = 2
            $0.batchByteLimit = 1
        } calling: {
            $0.maximumRetries = 0
            $0.transport = RefusingTransport(transport: $0.transport, tried: Recorded()) {
                $0 == "a" ? .cannotConnect : nil
            }
        }
        for stream in Self.streams + ["b"] { try await harness.save("text", to: stream) }
        let report = try await harness.flush()
        #expect(report.delivered == 5 && report.failures.map(\.stream.rawValue) == ["a"])
    }

    @Test func `after a flush that could not connect, one without a stream to send ends`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let elsewhere = "arn:aws:kinesis:eu-west-1:111111111111:stream/b"
        let harness = try PipelineHarness(
            to: server,
            savingIn: nil,
            calling: {
                $0.maximumRetries = 0
                $0.transport = RefusingTransport(transport: $0.transport, tried: Recorded()) { _ in .cannotConnect }
            }
        )
        for stream in ["a", elsewhere] { try await harness.save("text", to: stream) }
        #expect(try await harness.flush().failures.count == 2)
        harness.pipeline.configure { $0.streams = StreamSelection([elsewhere]) }
        #expect(try await harness.flush().failures.map(\.stream.rawValue) == [elsewhere])
    }

    @Test(arguments: [HTTPFailure.Kind.connectionLost, .timedOut, .tls])
    func `a failure after the connection was made stops no other stream`(kind: HTTPFailure.Kind) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let (harness, tried) = try await harness(to: server, parallel: 1) { $0 == "a" ? kind : nil }
        let report = try await harness.flush()
        #expect(tried.all == Self.streams)
        #expect(report.delivered == 4 && report.failures.map(\.stream.rawValue) == ["a"])
    }

    @Test
    func `once two streams get no answer in time, no further one is tried, and the next flush begins with another`()
        async throws
    {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let (harness, tried) = try await harness(to: server, parallel: 1) { ["a", "b"].contains($0) ? .timedOut : nil }
        #expect(try await harness.flush().failures.count == Self.streams.count)
        #expect(tried.all == ["a", "b"])
        let report = try await harness.flush()
        #expect(tried.all == ["a", "b", "c", "d", "e", "a", "b"])
        #expect(report.delivered == 3 && Set(report.failures.map(\.stream.rawValue)) == ["a", "b"])
    }

    @Test func `without valid credentials one stream is tried`() async throws {
        let requests = Recorded<String>()
        let server = try LocalServer { request, _ in
            requests.append(PutRequestBody(request.body).stream)
            return .error(400, "ExpiredTokenException")
        }
        let (harness, _) = try await harness(to: server, parallel: 1) { _ in nil }
        #expect(try await harness.flush().failures.count == Self.streams.count)
        #expect(Set(requests.all) == ["a"])
    }

    @Test func `the stored error of a stream that is not tried stays`() async throws {
        let isOffline = Locked(false)
        let server = try LocalServer { request, _ in
            PutRequestBody(request.body).stream == "b" ? .error(400, "ResourceNotFoundException") : .kinesis(request)
        }
        let (harness, _) = try await harness(to: server, streams: ["a", "b"], parallel: 1) { _ in
            isOffline.withLock(\.self) ? .connectionLost : nil
        }
        harness.pipeline.configure { $0.failureRule = CountsAttempts() }
        #expect(try await harness.flush().failures.map(\.stream.rawValue) == ["b"])
        let error = try harness.pipeline.status().streams.last?.lastError?.message
        #expect(error != nil)
        isOffline.withLock { $0 = true }
        try await harness.save("again", to: "a")
        #expect(try await harness.flush().failures.map(\.stream.rawValue) == ["a"])
        #expect(try harness.pipeline.status().streams.last?.lastError?.message == error)
    }

    @Test func `an account's host that cannot be reached stops no stream of another account`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let streams = ["111111111111", "222222222222"].map { "arn:aws:kinesis:us-east-1:\($0):stream/a" }
        let (harness, tried) = try await harness(to: server, streams: streams, parallel: 1) {
            $0.contains("111111111111") ? .nameNotResolved : nil
        }
        let report = try await harness.flush()
        #expect(tried.all == streams)
        #expect(report.delivered == 1 && report.failures.map(\.stream.rawValue) == [streams[0]])
    }
}

/// Fails the requests of some streams without sending them.
private struct RefusingTransport: HTTPTransport {
    let transport: any HTTPTransport
    let tried: Recorded<String>
    let failure: @Sendable (String) -> HTTPFailure.Kind?

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let stream = PutRequestBody(request.body).stream
        tried.append(stream)
        if let kind = failure(stream) { throw HTTPFailure(kind, "Not sent.") }
        return try await transport.send(request)
    }
}
