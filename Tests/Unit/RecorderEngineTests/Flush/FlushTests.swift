import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderDelivery
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct FlushTests {
    private func texts(_ server: LocalServer) -> [String] { server.requests.flatMap { ParsedPutRequest($0).texts } }

    private func kind(_ error: RecorderError?) -> ServiceFailure.Kind? {
        if case .service(let failure)? = error { failure.kind } else { nil }
    }

    @Test func `every record is sent once, in order, at most 500 per request, and the store is empty`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        let all = (0..<1_203).map { "record \($0)" }
        try await harness.saveAll(all)
        let report = try await harness.flush()
        #expect(report.delivered == 1_203 && report.failures.isEmpty)
        #expect(texts(server) == all)
        #expect(server.requests.map { ParsedPutRequest($0).texts.count } == [500, 500, 203])
        #expect(try harness.records() == 0)
        #expect(try harness.pipeline.totals().bytes == 0)
    }

    @Test func `an empty store sends nothing and needs no configuration`() async throws {
        let harness = try PipelineHarness()
        let report = try await harness.flush()
        #expect(report.delivered == 0 && report.failures.isEmpty)
    }

    @Test func `records without a configuration stay, and the error names what is missing`() async throws {
        let harness = try PipelineHarness()
        try await harness.save("kept")
        let error = await #expect(throws: RecorderError.self) { try await harness.flush() }
        #expect(error?.message.contains("endpoint") == true)
        #expect(try harness.records() == 1)
    }

    @Test func `saves made before the call are sent, even when they are not stored yet`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        for number in 0..<300 { harness.pipeline.save(Data("\(number)".utf8), stream: "s", partitionKey: nil) { _ in } }
        #expect(try await harness.flush().delivered == 300)
    }

    @Test func `throttled records are sent again, alone and in order, and delivered ones are not`() async throws {
        let server = try LocalServer { request, index in
            .kinesis(request) { index == 0 && Int($0)! % 3 == 0 ? "ProvisionedThroughputExceededException" : nil }
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll((0..<10).map(String.init))
        let report = try await harness.flush()
        #expect(report.delivered == 10 && report.failures.isEmpty)
        #expect(
            server.requests.map { ParsedPutRequest($0).texts } == [(0..<10).map(String.init), ["0", "3", "6", "9"]]
        )
        #expect(try harness.records() == 0)
    }

    @Test func `records that stay throttled are kept after four attempts, and the service's code is reported`()
        async throws
    {
        let server = try LocalServer { request, _ in .kinesis(request) { _ in "ProvisionedThroughputExceededException" }
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["a", "b"])
        let report = try await harness.flush()
        #expect(server.requests.count == 4)
        #expect(report.failures.count == 1)
        #expect(kind(report.failures.first?.error) == .throttled)
        #expect(try harness.storedTexts() == ["a", "b"])
        #expect(harness.events.discards.isEmpty)
    }

    @Test func `after a throttled answer, the rest and later batches are sent in small requests, at the stream's pace`()
        async throws
    {
        let server = try LocalServer { request, index in
            .kinesis(request) { index == 0 && $0 != "0" ? "ProvisionedThroughputExceededException" : nil }
        }
        let time = PausedTime()
        let harness = try PipelineHarness(.kinesis, to: server) {
            $0.random = { 1 }
            time.replace(in: &$0)
        }
        try await harness.saveAll((0..<1_000).map(String.init))
        #expect(try await harness.flush().delivered == 1_000)
        let sent = server.requests.map { ParsedPutRequest($0).texts }
        #expect(sent.first?.count == 500)
        #expect(sent[1].count == 20)
        let rest = (1..<1_000).map(String.init)
        #expect(sent.dropFirst().flatMap(\.self) == rest)
        // The delay of the retry, then one before each request but the first.
        #expect(time.pauses.first == .seconds(1) && time.pauses.count == sent.count)
        #expect(time.pauses.allSatisfy { $0 <= StreamRateLimiter.longestDelay })
    }

    @Test func `the next flush of a stream that throttled begins with a small request`() async throws {
        let server = try LocalServer { request, index in
            .kinesis(request) { _ in index < 4 ? "ProvisionedThroughputExceededException" : nil }
        }
        let time = PausedTime()
        let harness = try PipelineHarness(.kinesis, to: server) { time.replace(in: &$0) }
        try await harness.saveAll((0..<500).map(String.init))
        #expect(try await harness.flush().failures.count == 1)
        #expect(try await harness.flush().delivered == 500)
        let sizes = server.requests.map { ParsedPutRequest($0).texts.count }
        #expect(sizes.first == 500 && sizes[4] < 100, "\(sizes)")
    }

    @Test func `a batch that is accepted bit by bit uses up no retries`() async throws {
        let server = try LocalServer { request, index in
            .kinesis(request) { (Int($0) ?? 0) > index ? "ProvisionedThroughputExceededException" : nil }
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll((0..<10).map(String.init))
        #expect(try await harness.flush().delivered == 10)
        #expect(server.requests.count == 10)
    }

    @Test func `with a failure limit, records are discarded at the limit and reported`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { _ in "InternalFailure" } }
        let harness = try PipelineHarness(to: server) { $0.discardsAfterFailures = 4 }
        try await harness.save("a")
        let report = try await harness.flush()
        #expect(report.discarded == 1 && server.requests.count == 4)
        #expect(harness.events.discards.map(\.reason) == [.retriesExhausted])
        #expect(try harness.records() == 0)
    }

    @Test func `the failures of earlier flushes count for the limit`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { _ in "InternalFailure" } }
        let harness = try PipelineHarness(to: server) { $0.discardsAfterFailures = 6 }
        try await harness.save("a")
        #expect(try await harness.flush().failures.count == 1)
        #expect(try harness.storedTexts() == ["a"])
        #expect(try await harness.flush().discarded == 1)
        #expect(server.requests.count == 6)
        #expect(harness.events.discards.map(\.reason) == [.retriesExhausted])
    }

    @Test func `a rejected record is deleted and reported, and the others are delivered`() async throws {
        let server = try LocalServer { request, _ in
            .kinesis(request) { $0 == "bad" ? "InvalidArgumentException" : nil }
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["1", "bad", "2"])
        let report = try await harness.flush()
        #expect(report.delivered == 2 && report.discarded == 1 && report.failures.isEmpty)
        #expect(harness.events.discards.map(\.reason) == [.rejected(code: "InvalidArgumentException")])
        #expect(try harness.records() == 0)
    }

    @Test func `an entry without a proof of delivery keeps its record, and only that one`() async throws {
        let server = try LocalServer { _, _ in
            .json(200, #"{"FailedRecordCount":0,"Records":[{"SequenceNumber":"1"},{},{"SequenceNumber":"3"}]}"#)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["1", "2", "3"])
        let report = try await harness.flush()
        #expect(report.delivered == 2 && report.failures.count == 1)
        #expect(try harness.storedTexts() == ["2"])
        #expect(server.requests.count == 1)
    }

    @Test func `an answer with a missing entry keeps the whole batch after three attempts`() async throws {
        let server = try LocalServer { _, _ in .json(200, #"{"Records":[{"SequenceNumber":"1"}]}"#) }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["1", "2"])
        let report = try await harness.flush()
        #expect(report.delivered == 0 && report.failures.count == 1)
        #expect(server.requests.count == 3)
        #expect(try harness.storedTexts() == ["1", "2"])
    }

    @Test func `a failing stream keeps its records and does not affect the others`() async throws {
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).stream == "missing"
                ? .error(400, "ResourceNotFoundException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        for stream in ["a", "missing", "b", "c", "d", "e"] { try await harness.save("for \(stream)", to: stream) }
        let report = try await harness.flush()
        #expect(report.delivered == 5)
        #expect(report.failures.map(\.stream.rawValue) == ["missing"])
        #expect(kind(report.failures.first?.error) == .notFound)
        #expect(try harness.storedTexts() == ["for missing"])
    }

    @Test func `denied access takes at most two requests and keeps everything`() async throws {
        let server = try LocalServer { _, _ in .error(400, "AccessDeniedException") }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll((0..<600).map(String.init))
        let report = try await harness.flush()
        #expect(kind(report.failures.first?.error) == .denied)
        #expect(server.requests.count <= 2)
        #expect(try harness.records() == 600)
    }

    @Test func `a refused connection keeps everything, and a later flush delivers it`() async throws {
        // Bound as long as the test runs, so that no other process gets the port and answers.
        let closedPort = try LocalSocket.loopback()
        let url = "http://\(closedPort.authority)"
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(
            to: server,
            calling: { configuration throws(ConfigurationFailure) in configuration.endpoint = try Endpoint(url: url) }
        )
        try await harness.saveAll(["1", "2"])
        let report = try await harness.flush()
        guard case .transport? = kind(report.failures.first?.error) else {
            Issue.record("not a transport error: \(report)")
            return
        }
        #expect(try harness.storedTexts() == ["1", "2"])
        let later = try PipelineHarness(to: server, in: harness.directory)
        #expect(try await later.flush().delivered == 2)
        #expect(texts(server) == ["1", "2"])
        withExtendedLifetime(closedPort) {}
    }

    @Test func `one invalid record among 500 takes at most 20 requests, and 499 are delivered in order`() async throws {
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).texts.contains("invalid") ? .error(400, "ValidationException") : .kinesis(request)
        }
        for position in [0, 1, 250, 498, 499] {
            let before = server.requests.count
            let harness = try PipelineHarness(to: server)
            var all = (0..<499).map(String.init)
            all.insert("invalid", at: position)
            try await harness.saveAll(all)
            let report = try await harness.flush()
            #expect(report.delivered == 499 && report.discarded == 1 && report.failures.isEmpty)
            let accepted = server.requests[before...].map { ParsedPutRequest($0).texts }.filter {
                !$0.contains("invalid")
            }
            #expect(accepted.flatMap { $0 } == all.filter { $0 != "invalid" })
            #expect(server.requests.count - before <= 20)
            #expect(harness.events.discards.map(\.reason) == [.rejected(code: "ValidationException")])
        }
    }

    @Test func `if every request is refused, nothing is deleted and the flush ends within 12 requests`() async throws {
        let server = try LocalServer { _, _ in .error(400, "InvalidArgumentException") }
        for count in [2, 3, 499, 500] {
            let before = server.requests.count
            let harness = try PipelineHarness(to: server)
            try await harness.saveAll((0..<count).map(String.init))
            let report = try await harness.flush()
            #expect(kind(report.failures.first?.error) == .invalidRequest)
            #expect(server.requests.count - before <= 12)
            #expect(try harness.records() == count)
            #expect(harness.events.discards.isEmpty)
        }
    }

    @Test func `a refused record alone in its stream is discarded at its fourth refusal`() async throws {
        let server = try LocalServer { _, _ in .error(400, "ValidationException") }
        let harness = try PipelineHarness(to: server)
        try await harness.save("alone")
        for _ in 0..<3 {
            #expect(try await harness.flush().failures.count == 1)
            #expect(try harness.records() == 1)
        }
        let last = try await harness.flush()
        #expect(last.discarded == 1 && last.failures.isEmpty)
        #expect(harness.events.discards.map(\.reason) == [.rejected(code: "ValidationException")])
    }

    @Test func `concurrent flushes send nothing twice`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll((0..<700).map(String.init))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { try await harness.flush().delivered } }
            try await group.waitForAll()
        }
        #expect(texts(server) == (0..<700).map(String.init))
    }

    @Test func `two pipelines that flush one file at the same time send nothing twice`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let first = try PipelineHarness(to: server)
        let second = try PipelineHarness(to: server, in: first.directory)
        try await first.saveAll((0..<1_500).map(String.init))
        async let one = first.flush()
        async let other = second.flush()
        #expect(try await one.delivered + other.delivered == 1_500)
        #expect(Set(texts(server)).count == 1_500 && texts(server).count == 1_500)
    }

    @Test func `saves continue while a request is in flight, and are not part of that flush`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.save("first")
        async let report = harness.flush()
        await server.received(1)
        try await harness.save("second")
        #expect(try harness.storedTexts() == ["first", "second"])
        gate.open()
        #expect(try await report.delivered == 1)
        #expect(try harness.storedTexts() == ["second"])
    }

    @Test func `a record evicted in flight counts as delivered once the service has accepted it`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["1", "2", "3"])
        async let report = harness.flush()
        await server.received(1)
        let bytes = try harness.pipeline.totals().bytes
        harness.pipeline.configure { $0.limits.bytes = bytes }
        try await harness.save("4")
        gate.open()
        #expect(try await report.delivered == 3)
        let totals = try harness.pipeline.totals()
        #expect(totals.delivered == 3 && totals.discarded == 0 && totals.records == 1)
        #expect(harness.events.discards.isEmpty)
        #expect(totals.bytes == 1 + 36 + 64)
    }

    @Test func `a Firehose request has its own format, without partition keys`() async throws {
        let server = try LocalServer { request, _ in
            let entries = ParsedPutRequest(request).texts.map { _ in #"{"RecordId":"r"}"# }
            return .json(200, #"{"FailedPutCount":0,"RequestResponses":[\#(entries.joined(separator: ","))]}"#)
        }
        let harness = try PipelineHarness(.firehose, to: server)
        try await harness.saveAll(["1", "2"], to: "delivery")
        #expect(try await harness.flush().delivered == 2)
        let request = try #require(server.requests.first)
        #expect(request.header("X-Amz-Target") == "Firehose_20150804.PutRecordBatch")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"DeliveryStreamName":"delivery","Records":[{"Data":"MQ=="},{"Data":"Mg=="}]}"#
        )
    }

    @Test func `a partition key of any content arrives unchanged`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        let key = "quote\" slash\\ line\n tab\t nul\u{1} ünï 🦆"
        try await harness.save("x", key: key)
        #expect(try await harness.flush().delivered == 1)
        let body = try #require(server.requests.first).body
        let json = try #require(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        #expect((json["Records"] as? [[String: String]])?.first?["PartitionKey"] == key)
    }
}
