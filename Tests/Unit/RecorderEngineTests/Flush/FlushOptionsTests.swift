import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// The options of a flush.
@Suite struct FlushOptionsTests {
    @Test func `with several requests per stream they overlap, and every record is delivered and settled once`()
        async throws
    {
        let gate = Gate()
        let server = try LocalServer { request, index in
            if index < 4 { gate.wait() }
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) { $0.requestsPerStream = 4 }
        let all = (0..<4_200).map(String.init)
        try await harness.saveAll(all)
        async let report = harness.flush()
        // All four arrive before the first one is answered.
        await server.received(4)
        gate.open()
        #expect(try await report.delivered == 4_200)
        let sent = server.requests.flatMap { ParsedPutRequest($0).texts }
        #expect(sent.count == 4_200 && Set(sent) == Set(all))
        #expect(try harness.records() == 0)
    }

    @Test func `by default one request of a stream is answered before the next one is sent`() async throws {
        let open = Locked(0)
        let most = Locked(0)
        let server = try LocalServer { request, _ in
            let now = open.withLock { open in
                open += 1
                return open
            }
            most.withLock { $0 = max($0, now) }
            let reply = Reply.kinesis(request)
            open.withLock { $0 -= 1 }
            return reply
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll((0..<2_000).map(String.init))
        #expect(try await harness.flush().delivered == 2_000)
        #expect(most.withLock { $0 } == 1)
    }

    @Test func `with several requests per stream a failed one keeps its records and only those`() async throws {
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).texts.contains("700") ? .error(400, "AccessDeniedException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) { $0.requestsPerStream = 3 }
        try await harness.saveAll((0..<1_500).map(String.init))
        let report = try await harness.flush()
        #expect(report.delivered == 1_000 && report.failures.count == 1)
        #expect(try harness.storedTexts() == (500..<1_000).map(String.init))
        #expect(try harness.pipeline.totals().records == 500)
    }

    @Test func `compressed requests have a signed Content-Encoding header, and are small`() async throws {
        let server = try LocalServer { _, _ in
            .json(200, #"{"Records":[{"SequenceNumber":"1"},{"SequenceNumber":"2"}]}"#)
        }
        let harness = try PipelineHarness(to: server) { $0.compressesRequests = true }
        let text = String(repeating: "compressible ", count: 1_000)
        try await harness.saveAll([text, "x"])
        #expect(try await harness.flush().delivered == 2)
        let request = try #require(server.requests.first)
        #expect(request.header("Content-Encoding") == "gzip")
        #expect(request.header("Authorization")?.contains("content-encoding") == true)
        #expect(request.body.starts(with: [0x1F, 0x8B]) && request.body.count < 2_000)
    }

    @Test func `a delimiter is added if it is missing, even at the size limit`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server) { $0.delimiter = UInt8(ascii: "\n") }
        try await harness.save("a")
        try await harness.save("b\n")
        try await harness.save("")
        try await harness.save(Data(count: 262_144))
        #expect(try await harness.flush().delivered == 4)
        let texts = server.requests.flatMap { ParsedPutRequest($0).texts }
        #expect(texts.prefix(3) == ["a\n", "b\n", "\n"])
        #expect(texts.last?.utf8.count == 262_145)
    }

    @Test func `progress reports what was sent and what is left, and ends with nothing left`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll((0..<1_200).map(String.init))
        _ = try await harness.flush()
        let steps = harness.events.progress
        #expect(steps.map(\.delivered) == [500, 1_000, 1_200])
        #expect(steps.map(\.recordsLeft) == [700, 200, 0])
        #expect(steps.last?.bytesLeft == 0 && (steps.last?.bytes ?? 0) > 1_200 * 100)
    }
}
