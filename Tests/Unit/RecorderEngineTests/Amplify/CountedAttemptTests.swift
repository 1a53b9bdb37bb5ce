import RecorderAWS
import RecorderEngine
import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Testing

/// The Amplify clients' rule: one attempt per record and flush, and what counts as an attempt.
@Suite(.timeLimit(.minutes(10))) struct CountedAttemptTests {
    /// What the service answers for the stream, and the expected result for its three records. A record of another
    /// stream always arrives.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let answer: @Sendable (PutCall) -> Reply
        /// The records that are still stored.
        let kept: [String]
        /// The failures counted for each of them.
        let failures: [Int64]

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "accepted", answer: { $0.accepts() }, kept: [], failures: []),
        Row(name: "one throttled", answer: { $0.accepts { $0 == "1" ? throttled : nil } }, kept: ["1"], failures: [1]),
        Row(name: "all throttled", answer: { $0.accepts { _ in throttled } }, kept: all, failures: [1, 1, 1]),
        Row(
            name: "invalid record",
            answer: { $0.accepts { $0 == "0" ? PutCall.failed("InvalidRecordException") : nil } },
            kept: ["0"],
            failures: [1]
        ),
        Row(name: "no proof", answer: { $0.accepts { $0 == "2" ? "{}" : nil } }, kept: ["2"], failures: [0]),
        Row(name: "too few answers", answer: { $0.answer([$0.proof]) }, kept: all, failures: [0, 0, 0]),
        Row(name: "no JSON", answer: { _ in .html(200, "<p>Welcome</p>") }, kept: all, failures: [0, 0, 0]),
        page(400), page(403), page(413), page(502), page(503),
        refusing(400, "AccessDeniedException"), refusing(400, "ResourceNotFoundException"),
        refusing(400, "ExpiredTokenException"), refusing(400, "InvalidSignatureException"),
        refusing(400, "KMSDisabledException"), refusing(400, "UnknownCodeException"),
        refusing(400, "ValidationException"), refusing(400, "ProvisionedThroughputExceededException"),
        refusing(500, "InternalFailure"), refusing(503, "ServiceUnavailable"),
    ]

    private static let all = ["0", "1", "2"]
    private static let throttled = PutCall.failed("ProvisionedThroughputExceededException")

    private static func refusing(_ status: Int, _ code: String) -> Row {
        Row(name: "\(status) \(code)", answer: { _ in .error(status, code) }, kept: all, failures: [1, 1, 1])
    }

    /// A page from a proxy, not from the service.
    private static func page(_ status: Int) -> Row {
        Row(name: "page \(status)", answer: { _ in .html(status, "<h1>Sorry</h1>") }, kept: all, failures: [0, 0, 0])
    }

    @Test(arguments: [StreamServiceDescription.kinesis, .firehose], rows)
    func `an answer that fails a record counts one attempt, and does not affect the other streams`(
        service: StreamServiceDescription,
        row: Row
    ) async throws {
        let server = try LocalServer { request, index in
            let seen = ParsedPutRequest(request)
            let call = PutCall(service: service, index: index, texts: seen.texts)
            return seen.stream == "stream" ? row.answer(call) : call.accepts()
        }
        let harness = try PipelineHarness(amplify: service, to: server)
        try await harness.saveAll(Self.all)
        try await harness.save("neighbour", to: "neighbour")
        let report = try await harness.pipeline.flushIfFree()
        #expect(report.delivered == 4 - row.kept.count && report.discarded == 0)
        #expect(report.failures.allSatisfy { $0.error.isAnswer })
        #expect(try harness.storedTexts() == row.kept)
        #expect(try harness.storedFailures() == row.failures)
    }

    @Test func `records that are sent twice because a shared entry was refused count one attempt`() async throws {
        let server = try LocalServer { request, index in
            let call = PutCall(service: .kinesis, index: index, texts: [])
            guard index == 0 else { return call.answer([call.proof, call.proof, Self.throttled]) }
            return call.answer([PutCall.failed("InvalidRecordException"), Self.throttled])
        }
        let harness = try PipelineHarness(amplify: .kinesis, maxRetries: 1, to: server) { policy in
            policy.sharedEntryBytes = 51_200
        }
        for (text, key) in [("0", "a"), ("1", "a"), ("2", "b")] { try await harness.save(text, key: key) }
        let report = try await harness.pipeline.flushIfFree()
        #expect(report.delivered == 2 && report.discarded == 0)
        #expect(try harness.storedTexts() == ["2"])
        #expect(try harness.storedFailures() == [1])
    }

    @Test(arguments: ["reset", "redirect", "no credentials"])
    func `a failure without the service's answer counts no attempt and starts no further stream`(
        cause: String
    ) async throws {
        let server = try LocalServer { _, _ in
            cause == "reset" ? .reset : .answer(status: 302, headers: [.init("Location", "/login")], body: [])
        }
        let harness = try PipelineHarness(amplify: .kinesis, to: server) { policy in
            policy.parallelStreams = 1
        } calling: { configuration in
            if cause == "no credentials" { configuration.credentials = NoCredentials() }
        }
        for stream in ["a", "b", "c"] { try await harness.save("0", to: stream) }
        for _ in 0..<20 {
            let report = try await harness.pipeline.flushIfFree()
            #expect(report.failures.count == 1)
            #expect(report.failures.allSatisfy { !$0.error.isAnswer })
        }
        #expect(try harness.storedFailures() == [0, 0, 0])
    }

    @Test(arguments: [0, 1, 5])
    func `a record is discarded exactly at failure number maxRetries plus one`(
        maxRetries: Int
    ) async throws {
        let server = try LocalServer { request, index in
            let seen = ParsedPutRequest(request)
            guard seen.stream == "throttled" else { return .error(400, "AccessDeniedException") }
            return PutCall(service: .kinesis, index: index, texts: seen.texts).accepts { _ in Self.throttled }
        }
        let harness = try PipelineHarness(amplify: .kinesis, maxRetries: maxRetries, to: server)
        try await harness.save("0", to: "throttled")
        try await harness.save("0", to: "denied")
        for flush in 0...maxRetries {
            #expect(try harness.records() == 2, "before flush \(flush)")
            _ = try await harness.pipeline.flushIfFree()
        }
        #expect(try harness.records() == 0)
        // Events arrive on the callback queue; an empty submit is answered there, after them.
        _ = try await harness.flush()
        #expect(harness.events.discards.map(\.reason) == [.retriesExhausted, .retriesExhausted])
        #expect(Set(harness.events.discards.flatMap(\.streams).map(\.rawValue)) == ["throttled", "denied"])
    }

    @Test func `a record refused as invalid counts an attempt, and the others are delivered in that flush`()
        async throws
    {
        let server = try LocalServer { request, index in
            let texts = ParsedPutRequest(request).texts
            guard !texts.contains("250") else { return .error(400, "ValidationException") }
            return PutCall(service: .kinesis, index: index, texts: texts).accepts()
        }
        let harness = try PipelineHarness(amplify: .kinesis, maxRetries: 1, to: server)
        try await harness.saveAll((0..<500).map(String.init))
        let first = try await harness.pipeline.flushIfFree()
        #expect(first.delivered == 499 && first.discarded == 0)
        #expect(try harness.storedTexts() == ["250"])
        #expect(try harness.storedFailures() == [1])
        let second = try await harness.pipeline.flushIfFree()
        #expect(second.discarded == 1)
        #expect(try harness.records() == 0)
    }

    @Test func `a batch refused as a whole counts one attempt per record and takes few requests`() async throws {
        let server = try LocalServer { _, _ in .error(400, "ValidationException") }
        let harness = try PipelineHarness(amplify: .kinesis, to: server)
        try await harness.saveAll((0..<600).map(String.init))
        _ = try await harness.pipeline.flushIfFree()
        #expect(try harness.storedFailures() == (0..<600).map { $0 < 500 ? 1 : 0 })
        #expect(server.requests.count <= 12)
    }
}

/// A provider without credentials.
private struct NoCredentials: CredentialsSource {
    func credentials() async throws(CredentialsFailure) -> Credentials? { throw CredentialsFailure("Signed out.") }

    func invalidate() {}
}
