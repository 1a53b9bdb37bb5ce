import RecorderAWS
import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Testing

/// Endpoints that do not understand requests in CBOR get them in JSON.
@Suite(.timeLimit(.minutes(5))) struct FormatFallbackTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        let reply: @Sendable (ReceivedRequest) -> Reply
        var testDescription: String { name }
    }

    /// The ways to say that CBOR is not understood.
    static let refusals = [
        Refusal(name: "415") { _ in .html(415, "<p>Unsupported Media Type</p>") },
        Refusal(name: "UnknownOperationException") { Reply.error(400, "UnknownOperationException").encoded(for: $0) },
        Refusal(name: "SerializationException") { Reply.error(400, "SerializationException").encoded(for: $0) },
        Refusal(name: "an error in JSON") { _ in .json(400, "{}") },
        Refusal(name: "an answer in JSON without records") { _ in .json(200, "\n {}") },
        Refusal(name: "an answer in JSON that is cut off") { _ in .json(200, #"{"Records":[{"Sequ"#) },
    ]

    @Test(arguments: refusals, [RecorderPolicy.legacy, .amplify(.kinesis, cacheBytes: 1 << 20, maxRetries: 0)])
    func `the records are sent again in JSON at once, nothing is counted, and later requests are in JSON`(
        refusal: Refusal,
        policy: RecorderPolicy
    ) async throws {
        let server = try LocalServer { request, _ in request.isCBOR ? refusal.reply(request) : .kinesis(request) }
        let pauses = Recorded<Duration>()
        let harness = try PipelineHarness(
            to: server,
            {
                $0 = policy
                $0.requestFormat = .cbor
            },
            calling: { $0.pause = { pauses.append($0) } }
        )
        let texts = ["", "1", "\u{0}ü\"", String(repeating: "x", count: 70_000)]
        try await harness.saveAll(texts)
        let report = try await harness.flush()
        #expect(report.delivered == texts.count && report.failures.isEmpty)
        #expect(server.requests.map(\.isCBOR) == [true, false])
        #expect(server.requests.allSatisfy { ParsedPutRequest($0).texts == texts })
        let keys = server.requests.map { PutRequestBody($0.body).records.map(\.partitionKey) }
        #expect(keys.first == keys.last)
        #expect(pauses.all.isEmpty && harness.events.discards.isEmpty)
        try await harness.save("later")
        #expect(try await harness.flush().delivered == 1)
        #expect(server.requests.map(\.isCBOR) == [true, false, false])
    }

    @Test func `an answer in JSON that accepts the records settles them, and later requests are in JSON`() async throws
    {
        let server = try LocalServer { _, _ in .json(200, #"{"Records":[{"SequenceNumber":"1"}]}"#) }
        let harness = try PipelineHarness(to: server) { $0.requestFormat = .cbor }
        for _ in 0..<2 {
            try await harness.save("x")
            #expect(try await harness.flush().delivered == 1)
        }
        #expect(server.requests.map(\.isCBOR) == [true, false])
    }

    @Test func `requests that were in flight, and batches that were read before, are sent in JSON as well`()
        async throws
    {
        let server = try LocalServer { request, _ in
            request.isCBOR ? Reply.error(400, "SerializationException").encoded(for: request) : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) {
            $0.requestFormat = .cbor
            $0.requestsPerStream = 3
            $0.batchByteLimit = 400
        }
        let texts = (0..<100).map(String.init)
        try await harness.saveAll(texts)
        let report = try await harness.flush()
        #expect(report.delivered == 100 && report.failures.isEmpty && report.discarded == 0)
        let accepted = server.requests.filter { !$0.isCBOR }.flatMap { ParsedPutRequest($0).texts }
        #expect(accepted.count == 100 && Set(accepted) == Set(texts))
        #expect(1...3 ~= server.requests.filter(\.isCBOR).count)
    }

    @Test func `after an accepted request in CBOR, the same refusals are those of a record or of a proxy`() async throws
    {
        let server = try LocalServer { request, _ in
            let texts = ParsedPutRequest(request).texts
            if texts.contains("html") { return .json(403, #"{"message":"Forbidden"}"#) }
            return texts.contains("bad")
                ? Reply.error(400, "SerializationException").encoded(for: request) : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) { $0.requestFormat = .cbor }
        try await harness.save("first")
        #expect(try await harness.flush().delivered == 1)
        try await harness.saveAll(["1", "bad", "2"])
        let second = try await harness.flush()
        #expect(second.delivered == 2 && second.discarded == 1)
        #expect(harness.events.discards.map(\.reason) == [.rejected(code: "SerializationException")])
        try await harness.save("html")
        #expect(try await harness.flush().failures.map(\.error.message) == ["Forbidden"])
        #expect(server.requests.allSatisfy { $0.isCBOR })
    }

    @Test func `415 is a refusal of the format at any time`() async throws {
        let server = try LocalServer { request, index in
            request.isCBOR && index > 0 ? .html(415, "") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) { $0.requestFormat = .cbor }
        for _ in 0..<3 {
            try await harness.save("x")
            #expect(try await harness.flush().delivered == 1)
        }
        #expect(server.requests.map(\.isCBOR) == [true, true, false, false])
    }

    @Test func `one process asks an endpoint once, and each endpoint for itself`() async throws {
        let endpoints = CBOREndpoints()
        let old = try LocalServer { request, _ in request.isCBOR ? .html(415, "") : .kinesis(request) }
        let new = try LocalServer { request, _ in .kinesis(request) }
        for server in [old, old, new, old, new] {
            let harness = try PipelineHarness(
                to: server,
                { $0.requestFormat = .cbor },
                calling: { $0.cborEndpoints = endpoints }
            )
            try await harness.save("x")
            #expect(try await harness.flush().delivered == 1)
        }
        #expect(old.requests.map(\.isCBOR) == [true, false, false, false])
        #expect(new.requests.map(\.isCBOR) == [true, true])
    }

    @Test(arguments: [
        Reply.reset, .html(503, "<p>busy</p>"), .html(403, "<p>Forbidden</p>"),
        .html(200, "<p>Welcome to the hotel</p>"),
        .answer(status: 200, headers: [], body: []),
    ])
    func `a missing answer, or one of a proxy that is not JSON, says nothing about the format`(reply: Reply)
        async throws
    {
        let isDown = Recorded<Bool>()
        let server = try LocalServer { request, _ in isDown.all.isEmpty ? reply : .kinesis(request) }
        let harness = try PipelineHarness(to: server) { $0.requestFormat = .cbor }
        try await harness.save("x")
        #expect(try await harness.flush().failures.count == 1)
        isDown.append(false)
        #expect(try await harness.flush().delivered == 1)
        #expect(server.requests.allSatisfy { $0.isCBOR })
    }
}
