import Foundation
import RecorderAWS
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Records without a partition key, for streams that distribute records by themselves.
@Suite(.timeLimit(.minutes(5))) struct OmittedKeyTests {
    /// A stream that distributes records by itself, or another one: that refuses records without keys.
    private func server(distributes: Bool, fail: @escaping @Sendable (String) -> String? = { _ in nil }) throws
        -> LocalServer
    {
        try LocalServer { request, _ in
            let hasKeys = PutRequestBody(request.body).records.allSatisfy { $0.partitionKey != nil }
            return distributes || hasKeys
                ? .kinesis(request, fail: fail)
                : .error(400, "InvalidArgumentException", message: "Every record needs a partition key.")
        }
    }

    @Test(arguments: [RequestFormat.json, .cbor])
    func `a record saved without a key is sent without one, and a given key is sent`(format: RequestFormat) async throws
    {
        let server = try server(distributes: true)
        let harness = try PipelineHarness(to: server) {
            $0.keylessRecords = .withoutKeys
            $0.requestFormat = format
        }
        try await harness.save("none")
        try await harness.save("given", key: "k")
        #expect(try await harness.flush().delivered == 2)
        let records = PutRequestBody(try #require(server.requests.first).body).records
        #expect(records.map(\.data) == [Data("none".utf8), Data("given".utf8)])
        #expect(records.map(\.partitionKey) == [nil, "k"])
    }

    @Test func `keys are sent unless the user asks otherwise`() async throws {
        let server = try server(distributes: true)
        let harness = try PipelineHarness(to: server)
        try await harness.save("none")
        #expect(try await harness.flush().delivered == 1)
        #expect(PutRequestBody(try #require(server.requests.first).body).records.first?.partitionKey?.count == 36)
    }

    @Test func `a record that stays after a failure is sent without a key by the next flush, too`() async throws {
        let failing = Recorded<Int>()
        let server = try server(distributes: true) { text in
            text == "1" && failing.all.isEmpty ? "InternalFailure" : nil
        }
        let harness = try PipelineHarness(
            to: server,
            { $0.keylessRecords = .withoutKeys },
            calling: { $0.maximumRetries = 0 }
        )
        try await harness.saveAll(["0", "1", "2"])
        #expect(try await harness.flush().delivered == 2)
        failing.append(1)
        #expect(try await harness.flush().delivered == 1)
        #expect(server.requests.flatMap { PutRequestBody($0.body).records }.allSatisfy { $0.partitionKey == nil })
    }

    @Test func `a refused request in CBOR is sent in JSON without keys`() async throws {
        let server = try LocalServer { request, _ in
            request.isCBOR ? .html(415, "<p>Unsupported Media Type</p>") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) {
            $0.keylessRecords = .withoutKeys
            $0.requestFormat = .cbor
        }
        try await harness.saveAll(["a", "b"])
        #expect(try await harness.flush().delivered == 2)
        let records = PutRequestBody(try #require(server.requests.last).body).records
        #expect(records.map(\.data) == [Data("a".utf8), Data("b".utf8)])
        #expect(records.allSatisfy { $0.partitionKey == nil })
    }

    @Test(arguments: [1, 3, 600])
    func `a stream that needs keys keeps the records, and the error says what to do`(count: Int) async throws {
        let server = try server(distributes: false)
        let harness = try PipelineHarness(to: server) { $0.keylessRecords = .withoutKeys }
        try await harness.saveAll((0..<count).map(String.init))
        for _ in 0..<6 {
            let report = try await harness.flush()
            #expect(report.delivered == 0 && report.discarded == 0)
            let message = try #require(report.failures.first?.error.message)
            #expect(message.contains("Stream stream refused records without partition keys"))
            #expect(message.contains("AUTO"))
        }
        #expect(server.requests.count <= 12)
        #expect(try harness.records() == count)
        harness.pipeline.configure { $0.keylessRecords = .withNumberedKeys }
        #expect(try await harness.flush().delivered == count)
    }

    @Test(arguments: [1, 2, 100])
    func `a stream that needs keys gets the records with given ones, and keeps the others`(each: Int) async throws {
        let server = try server(distributes: false)
        let harness = try PipelineHarness(to: server) { $0.keylessRecords = .withoutKeys }
        // Runs of records with keys, of records without, and mixed batches.
        for number in 0..<1_200 {
            let hasKey = number < 600 || number / each % 2 == 0
            harness.pipeline.save(Data("\(number)".utf8), stream: "stream", partitionKey: hasKey ? "k" : nil) { _ in }
        }
        try await harness.save("last", key: "k")
        var delivered = 0
        for _ in 0..<6 {
            let report = try await harness.flush()
            delivered += report.delivered
            #expect(report.discarded == 0)
            #expect(report.failures.first?.error.message.contains("AUTO") == true)
        }
        let kept = try harness.records()
        #expect(kept == 1_201 - delivered && kept >= 300 && delivered >= 601)
        harness.pipeline.configure { $0.keylessRecords = .withNumberedKeys }
        #expect(try await harness.flush().delivered == kept)
    }

    @Test func `for an Amplify client only records without a key count attempts`() async throws {
        let server = try server(distributes: false)
        let harness = try PipelineHarness(amplify: .kinesis, maxRetries: 1, to: server) {
            $0.keylessRecords = .withoutKeys
        }
        try await harness.save("a", key: "k")
        try await harness.save("none")
        try await harness.save("b", key: "k")
        let report = try await harness.flush()
        #expect(report.delivered == 2 && report.discarded == 0)
        #expect(try harness.storedTexts() == ["none"])
    }

    @Test(arguments: [1_048_576, 3 * 1_048_576])
    func `a large record is not discarded because its key is missing`(bytes: Int) async throws {
        let server = try server(distributes: false)
        let harness = try PipelineHarness(to: server) {
            $0.keylessRecords = .withoutKeys
            $0.maximumRecordBytes = 4 * 1_048_576
            $0.limits.bytes = 0
        }
        try await harness.save(Data(count: bytes))
        for _ in 0..<6 { #expect(try await harness.flush().discarded == 0) }
        try await harness.save("small")
        for _ in 0..<6 { #expect(try await harness.flush().discarded == 0) }
        #expect(try harness.records() == 2)
    }

    @Test(arguments: [false, true])
    func `a given key that another store made for its records is sent`(staysOnce: Bool) async throws {
        let sender = try server(distributes: true)
        let first = try PipelineHarness(to: sender)
        try await first.save("from a device")
        _ = try await first.flush()
        let sent = try #require(sender.requests.first)
        let key = try #require(PutRequestBody(sent.body).records.first?.partitionKey)
        let failing = Recorded<Int>()
        let server = try server(distributes: true) { _ in failing.all.isEmpty && staysOnce ? "InternalFailure" : nil }
        let relay = try PipelineHarness(
            to: server,
            { $0.keylessRecords = .withoutKeys },
            calling: { $0.maximumRetries = 0 }
        )
        try await relay.save("relayed", key: key)
        if staysOnce { #expect(try await relay.flush().delivered == 0) }
        failing.append(1)
        #expect(try await relay.flush().delivered == 1)
        for request in server.requests { #expect(PutRequestBody(request.body).records.map(\.partitionKey) == [key]) }
    }
}
