import Foundation
import RecorderAWS
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// Streams that are named by their ARN.
@Suite(.timeLimit(.minutes(5))) struct StreamARNTests {
    private static let arn = "arn:aws:kinesis:us-east-1:210987654321:stream/orders"
    private static let delivery = "arn:aws:firehose:us-east-1:210987654321:deliverystream/orders"

    private func members(_ request: ReceivedRequest) throws -> [String: Any] {
        let json = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        return try #require(json ?? CBORTree.object(request.body))
    }

    @Test(arguments: [RequestFormat.json, .cbor])
    func `a stream's ARN is sent as StreamARN, and not its name`(format: RequestFormat) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server) { $0.requestFormat = format }
        try await harness.save("a", to: Self.arn)
        #expect(try await harness.flush().delivered == 1)
        let members = try members(try #require(server.requests.first))
        #expect(members["StreamARN"] as? String == Self.arn)
        #expect(members["StreamName"] == nil)
        #expect(try harness.records() == 0)
    }

    @Test func `records that are sent again are sent to the ARN`() async throws {
        let bad = "bad"
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).texts.contains(bad) ? .error(400, "ValidationException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["1", bad, "2", "3"], to: Self.arn)
        let report = try await harness.flush()
        #expect(report.delivered == 3 && report.discarded == 1)
        #expect(server.requests.count > 2)
        #expect(Set(server.requests.map { ParsedPutRequest($0).stream }) == [Self.arn])
    }

    @Test func `Firehose, which takes no ARNs, is sent the name`() async throws {
        let server = try LocalServer { request, index in
            PutCall(service: .firehose, index: index, texts: ParsedPutRequest(request).texts).accepts()
        }
        let harness = try PipelineHarness(.firehose, to: server)
        try await harness.save("a", to: Self.delivery)
        #expect(try await harness.flush().delivered == 1)
        let members = try members(try #require(server.requests.first))
        #expect(members["DeliveryStreamName"] as? String == "orders")
        #expect(Set(members.keys) == ["DeliveryStreamName", "Records"])
    }

    @Test func `Firehose keeps the records for another account's ARN, if the credentials say whose they are`()
        async throws
    {
        let server = try LocalServer { request, index in
            PutCall(service: .firehose, index: index, texts: ParsedPutRequest(request).texts).accepts()
        }
        let harness = try PipelineHarness(
            .firehose,
            to: server,
            calling: { call in
                var credentials = Canary.credentials
                credentials.accountID = "123456789012"
                call.credentials = StaticCredentials(credentials)
            }
        )
        let own = "arn:aws:firehose:us-east-1:123456789012:deliverystream/orders"
        try await harness.save("kept", to: Self.delivery)
        try await harness.save("sent", to: own)
        let report = try await harness.flush()
        #expect(report.delivered == 1)
        let message = try #require(report.failures.first?.error.message)
        #expect(message.contains("210987654321") && message.contains("123456789012"))
        #expect(try harness.storedTexts() == ["kept"])
    }

    @Test func `the name and the ARN of a stream are two streams, and both are delivered`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["1", "2"], to: Self.arn)
        try await harness.saveAll(["3", "4"], to: "orders")
        let status = try harness.pipeline.status()
        #expect(status.streams.map { "\($0.name)" } == ["orders", "orders"])
        #expect(Set(status.streams.map(\.name.rawValue)) == [Self.arn, "orders"])
        #expect(try await harness.flush().delivered == 4)
        let requests = server.requests.map { ParsedPutRequest($0) }
        #expect(requests.first { $0.stream == Self.arn }?.texts == ["1", "2"])
        #expect(requests.first { $0.stream == "orders" }?.texts == ["3", "4"])
        #expect(Set(requests.flatMap(\.keys)).count == 4)
    }

    @Test(arguments: [
        ("arn:aws:kinesis:eu-west-1:210987654321:stream/orders", "requests go to us-east-1"),
        ("arn:aws-cn:kinesis:us-east-1:210987654321:stream/orders", "belongs to aws:"),
        ("arn:aws:firehose:us-east-1:210987654321:deliverystream/orders", "its service is \"firehose\""),
        ("arn:aws:kinesis:us-east-1:21098765432:stream/orders", "an account's number has 12 digits"),
        ("arn:aws:kinesis:us-east-1:210987654321:stream/or ders", "may only hold letters"),
        ("arn:aws:kinesis:us-east-1:210987654321:stream/\(String(repeating: "x", count: 129))", "the limit is 128"),
        ("arn:aws:kinesis", "is not an ARN"),
    ])
    func `an ARN that requests cannot concern is refused at once, and nothing is saved`(
        arn: String,
        problem: String
    ) async throws {
        let harness = try PipelineHarness()
        let error = await failure { try await harness.save("a", to: arn) } as? RecorderError
        guard case .invalidRecord(.streamName, let text)? = error else {
            Issue.record("not an error about the stream: \(String(describing: error))")
            return
        }
        #expect(text.contains(problem), "\(text)")
        let many = await failure {
            try await harness.pipeline.save(contentsOf: [Data("a".utf8)], stream: arn, partitionKey: nil)
        }
        #expect(many is RecorderError)
        #expect(try harness.records() == 0)
    }

    @Test func `before a region is configured any is accepted, but the parts of an ARN must agree`() async throws {
        let harness = try PipelineHarness(savingIn: nil)
        try await harness.save("a", to: "arn:aws:kinesis:eu-west-1:210987654321:stream/orders")
        await #expect(throws: RecorderError.self) {
            try await harness.save("a", to: "arn:aws:kinesis:cn-north-1:210987654321:stream/orders")
        }
        #expect(try harness.records() == 1)
    }

    @Test func `a stream of a region other than the configured one keeps its records, and the others are sent`()
        async throws
    {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, savingIn: nil)
        let foreign = "arn:aws:kinesis:eu-west-1:210987654321:stream/orders"
        try await harness.save("kept", to: foreign)
        try await harness.save("sent", to: "other")
        let report = try await harness.flush()
        #expect(report.delivered == 1)
        #expect(report.failures.map(\.stream.rawValue) == [foreign])
        let message = try #require(report.failures.first?.error.message)
        #expect(message.contains("eu-west-1") && message.contains("us-east-1"))
        #expect(try harness.storedTexts() == ["kept"])
        #expect(server.requests.map { ParsedPutRequest($0).stream } == ["other"])
        #expect(
            try harness.pipeline.status().streams.first { $0.name.rawValue == foreign }?.lastError?.message == message
        )
    }

    @Test func `a rescued store sends the records of an ARN to it`() async throws {
        let texts = (0..<400).map { "\($0) " + String(repeating: "x", count: 1_000) }
        let (directory, path) = try await {
            let harness = try PipelineHarness { $0.limits.bytes = 0 }
            try await harness.saveAll(texts, to: Self.arn)
            try SQLiteConnection.emptyLog(of: harness.path)
            return (harness.directory, harness.path)
        }()
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: 40 * 4_096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        try file.close()
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: directory) { $0.limits.bytes = 0 }
        let report = try await harness.flush()
        #expect(harness.events.rescues.count == 1)
        #expect(report.delivered > 200)
        #expect(Set(server.requests.map { ParsedPutRequest($0).stream }) == [Self.arn])
    }
}
