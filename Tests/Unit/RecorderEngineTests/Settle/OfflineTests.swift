import RecorderAWS
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct OfflineTests {
    @Test func `a thousand flushes while offline lose nothing and count no failure, and then everything arrives`()
        async throws
    {
        let closedPort = try LocalSocket.loopback()
        let broken = try LocalServer { request, index in
            switch index % 5 {
            case 0: .reset
            case 1: .html(200, "<html>Welcome to the hotel</html>")
            case 2: .error(500, "InternalFailure")
            case 3: .dropConnection
            default: .truncated(status: 200, body: Array("{}".utf8), after: 1)
            }
        }
        let arrived = Recorded<[String]>()
        let online = try LocalServer { request, _ in
            arrived.append(ParsedPutRequest(request).texts)
            return .kinesis(request)
        }
        let url = Locked("")
        let harness = try PipelineHarness(
            to: online,
            calling: { configuration throws(ConfigurationFailure) in
                configuration.endpoint = try Endpoint(url: url.withLock { $0 })
            }
        )
        let all = (0..<40).map(String.init)
        try await harness.saveAll(all)

        var failures = 0
        for number in 0..<1_000 {
            let offline = number % 10 == 3 ? broken.url : "http://127.0.0.1:\(closedPort.port)"
            url.withLock { $0 = offline }
            let report = try await harness.flush()
            failures += report.failures.count
            guard report.failures.count == 1 else { break }
        }
        #expect(failures == 1_000)
        #expect(try harness.storedTexts() == all)
        #expect(try harness.storedFailures().allSatisfy { $0 == 0 })
        #expect(try harness.pipeline.totals().retried == 0)
        #expect(harness.events.discards.isEmpty)

        url.withLock { $0 = online.url }
        let report = try await harness.flush()
        #expect(report.delivered == 40 && report.failures.isEmpty)
        #expect(arrived.all.flatMap { $0 } == all)
    }

    @Test func `a host name without an address is resolved three times, and everything is kept`() async throws {
        let unused = try LocalServer { request, _ in .kinesis(request) }
        let pauses = Recorded<Duration>()
        // A label of more than 63 letters is invalid, so no name server is queried.
        let name = "kinesis." + String(repeating: "x", count: 64) + ".invalid"
        let harness = try PipelineHarness(
            to: unused,
            calling: { configuration throws(ConfigurationFailure) in
                configuration.endpoint = try Endpoint(url: "https://\(name)")
                configuration.pause = { pauses.append($0) }
            }
        )
        try await harness.save("kept")
        let report = try await harness.flush()
        #expect(report.failures.first?.error.message.contains(name) == true)
        #expect(pauses.all.count == 2)
        #expect(try harness.storedTexts() == ["kept"])
    }
}
