import Foundation
import RecorderAWS
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Requests that a service rejects as invalid: only confirmed records are deleted. For proxies see `ProxyRefusalTests`.
@Suite(.timeLimit(.minutes(10))) struct RefusedTests {
    /// The forms of a refusal, with the code that a deleted record is reported with.
    enum Refusal: String, CaseIterable {
        case validation = "ValidationException"
        case argument = "InvalidArgumentException"
        case serialization = "SerializationException"
        case record = "InvalidRecordException"
        case tooLarge = "RequestEntityTooLargeException"

        var reply: Reply { .error(self == .tooLarge ? 413 : 400, rawValue) }
    }

    @Test(arguments: [StreamServiceDescription.kinesis, .firehose], Refusal.allCases)
    func `one invalid record among 500 is deleted, and the others are delivered in order`(
        service: StreamServiceDescription,
        refusal: Refusal
    ) async throws {
        let accepted = Recorded<[String]>()
        let server = try LocalServer { request, index in
            let texts = ParsedPutRequest(request).texts
            guard !texts.contains("250") else { return refusal.reply }
            accepted.append(texts)
            return PutCall(service: service, index: index, texts: texts).accepts()
        }
        let harness = try PipelineHarness(service, to: server)
        try await harness.saveAll((0..<500).map(String.init))
        let report = try await harness.flush()
        #expect(report.delivered == 499 && report.discarded == 1 && report.failures.isEmpty)
        let good = (0..<500).filter { $0 != 250 }.map(String.init)
        #expect(accepted.all.flatMap { $0 } == good)
        #expect(server.requests.count <= 20)
        #expect(harness.events.discards.map(\.reason) == [.rejected(code: refusal.rawValue)])
        #expect(try harness.records() == 0)
    }

    @Test(arguments: [StreamServiceDescription.kinesis, .firehose], Refusal.allCases)
    func `a stream whose every request is refused keeps all records and takes at most 12 requests`(
        service: StreamServiceDescription,
        refusal: Refusal
    ) async throws {
        let server = try LocalServer { _, _ in refusal.reply }
        let harness = try PipelineHarness(service, to: server)
        try await harness.saveAll((0..<1_200).map(String.init))
        let report = try await harness.flush()
        guard case .service(let failure)? = report.failures.first?.error else {
            Issue.record("not a failure of the service: \(report)")
            return
        }
        #expect(failure.kind == .invalidRequest)
        #expect("\(failure)".contains(refusal.rawValue))
        #expect(server.requests.count <= 12)
        #expect(try harness.records() == 1_200)
        #expect(try harness.storedFailures().allSatisfy { $0 == 0 })
        #expect(harness.events.discards.isEmpty)
    }

    @Test func `a request too large for a proxy is bisected, and nothing is deleted`() async throws {
        let server = try LocalServer { request, _ in
            request.body.count > 20_000 ? Refusal.tooLarge.reply : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        let all = (0..<200).map { "\($0) \(String(repeating: "x", count: 1_000))" }
        try await harness.saveAll(all)
        let report = try await harness.flush()
        #expect(report.delivered == 200 && report.failures.isEmpty)
        let accepted = server.requests.filter { $0.body.count <= 20_000 }
        #expect(accepted.flatMap { ParsedPutRequest($0).texts } == all)
        #expect(server.requests.count <= 40)
        #expect(harness.events.discards.isEmpty)
    }

    @Test(
        arguments: [StreamServiceDescription.kinesis, .firehose],
        ["InvalidParameterException", "InvalidParameterValue", "MissingParameter"]
    )
    func `a refusal with a code outside the closed list deletes nothing, and the other records are sent`(
        service: StreamServiceDescription,
        code: String
    ) async throws {
        let server = try LocalServer { request, index in
            let texts = ParsedPutRequest(request).texts
            guard !texts.contains("3") else { return .error(400, code) }
            return PutCall(service: service, index: index, texts: texts).accepts()
        }
        let harness = try PipelineHarness(service, to: server)
        try await harness.saveAll((0..<9).map(String.init))
        let report = try await harness.flush()
        #expect(report.delivered == 8 && report.discarded == 0)
        #expect(report.failures.map { "\($0.error.message)" } == ["injected failure"])
        for _ in 0..<5 { #expect(try await harness.flush().failures.count == 1) }
        #expect(try harness.storedTexts() == ["3"])
        #expect(try harness.storedFailures() == [0])
        #expect(server.requests.count <= 13)
    }

    @Test func `two invalid records that fill the first batch do not block later records`() async throws {
        let bad = String(repeating: "bad ", count: 50)
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).texts.contains(bad) ? .error(400, "ValidationException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) { $0.batchByteLimit = 500 }
        try await harness.saveAll([bad, bad, "1", "2", "3"])
        let report = try await harness.flush()
        #expect(report.delivered == 3 && report.discarded == 2 && report.failures.isEmpty)
        #expect(server.requests.count == 6)
        #expect(try harness.records() == 0)
    }

    @Test func `several invalid records are all deleted, adjacent or apart`() async throws {
        for bad in [["0", "1"], ["7", "400"], ["250", "251"], ["499", "3", "251"], ["497", "499"]] {
            let server = try LocalServer { request, _ in
                ParsedPutRequest(request).texts.contains(where: bad.contains)
                    ? .error(400, "ValidationException") : .kinesis(request)
            }
            let harness = try PipelineHarness(to: server)
            try await harness.saveAll((0..<500).map(String.init))
            let report = try await harness.flush()
            #expect(report.delivered == 500 - bad.count)
            #expect(report.discarded == bad.count && report.failures.isEmpty)
            #expect(server.requests.count <= 20 * bad.count)
            #expect(harness.events.discards.reduce(0) { $0 + $1.count } == bad.count)
            #expect(try harness.records() == 0)
        }
    }

    @Test func `a delivery in another batch confirms an invalid record`() async throws {
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).texts.contains("bad") ? .error(400, "ValidationException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) { $0.batchByteLimit = 1 }
        try await harness.saveAll(["bad", "1", "2"])
        let report = try await harness.flush()
        #expect(report.delivered == 2 && report.discarded == 1 && report.failures.isEmpty)
        #expect(server.requests.count == 4)
    }

    /// No answer tells them from valid records of a stream that refuses everything since.
    @Test func `two invalid records behind all others stay until the stream accepts a record behind them`() async throws
    {
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).texts.contains { $0.hasPrefix("bad") }
                ? .error(400, "ValidationException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["1", "2", "bad 1", "bad 2"])
        let first = try await harness.flush()
        #expect(first.delivered == 2 && first.discarded == 0 && first.failures.count == 1)
        try await harness.save("3")
        let second = try await harness.flush()
        #expect(second.delivered == 1 && second.discarded == 2 && second.failures.isEmpty)
        #expect(try harness.records() == 0)
    }

    @Test func `a record between two invalid records of different batches is kept`() async throws {
        let bad = String(repeating: "bad ", count: 50)
        let server = try LocalServer { request, index in
            let texts = ParsedPutRequest(request).texts
            let isRefused = texts.contains { $0.hasPrefix("bad") }
            return isRefused
                ? .error(400, "ValidationException")
                : PutCall(service: .kinesis, index: index, texts: texts).accepts { $0 == "unproven" ? "{}" : nil }
        }
        // The first batch is the long record alone, the second holds the other three.
        let harness = try PipelineHarness(to: server) { $0.batchByteLimit = 150 }
        try await harness.saveAll([bad, "unproven", "bad", "good"])
        let report = try await harness.flush()
        #expect(report.delivered == 1 && report.discarded == 2)
        #expect(try harness.storedTexts() == ["unproven"])
        #expect(try harness.pipeline.totals().records == 1)
    }

    @Test(arguments: [nil, 20])
    func `a single record that was throttled before is discarded at its fourth refusal, not earlier`(
        limit: Int?
    ) async throws {
        let server = try LocalServer { request, index in
            index < 4
                ? .kinesis(request) { _ in "ProvisionedThroughputExceededException" }
                : .error(400, "ValidationException")
        }
        let harness = try PipelineHarness(to: server) { $0.discardsAfterFailures = limit }
        try await harness.save("alone")
        for _ in 0..<4 {
            #expect(try await harness.flush().failures.count == 1)
            #expect(try harness.storedTexts() == ["alone"])
        }
        #expect(try harness.pipeline.totals().retried == 7)
        guard limit == nil else { return }
        let last = try await harness.flush()
        #expect(last.discarded == 1 && last.failures.isEmpty)
        #expect(server.requests.count == 8)
        #expect(harness.events.discards.map(\.reason) == [.rejected(code: "ValidationException")])
    }

    @Test func `bisecting ends when the failure is another one`() async throws {
        let server = try LocalServer { _, index in
            index == 0 ? .error(400, "ValidationException") : .error(400, "AccessDeniedException")
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["1", "2", "3"])
        let report = try await harness.flush()
        #expect(report.failures.first?.error.message == "injected failure")
        #expect(server.requests.count == 2)
        #expect(try harness.storedTexts() == ["1", "2", "3"])
        #expect(try harness.storedFailures() == [0, 0, 0])
    }
}
