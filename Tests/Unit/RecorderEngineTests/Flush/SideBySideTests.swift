import RecorderAWS
import RecorderDelivery
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Streams of one store that are sent beside each other.
@Suite(.timeLimit(.minutes(10))) struct SideBySideTests {
    @Test(arguments: [StreamScheduler.Scope.all, .due])
    func `what is saved during a flush is delivered, whatever another stream waits for`(
        scope: StreamScheduler.Scope
    ) async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            if ParsedPutRequest(request).stream == "slow" { gate.wait() }
            return .kinesis(request)
        }
        defer { gate.open() }
        let harness = try PipelineHarness(to: server)
        let reports = Recorded<FlushReport?>()
        for round in 1...3 {
            for stream in ["slow", "healthy"] { try await harness.save("\(stream) \(round)", to: stream) }
            harness.pipeline.flush(scope) { reports.append(try? $0.get()) }
            await server.received(round + 1)
            // The record of the slow stream that is in flight, and those behind it.
            while try harness.records() > round { await Task.yield() }
        }
        gate.open()
        #expect(try await harness.flush().failures.isEmpty)
        #expect(try harness.records() == 0)
        // Explicit requests wait for the slow stream, too, and share its second attempt.
        #expect(reports.all.compactMap { $0?.delivered }.sorted() == (scope == .all ? [2, 3, 3] : [1, 1, 2]))
    }

    @Test func `streams that fail are asked no more often for what is sent beside them, unless all are to be tried`()
        async throws
    {
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).stream == "dead"
                ? .error(400, "ResourceNotFoundException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        for stream in ["dead", "healthy"] { try await harness.save("text", to: stream) }
        #expect(try await harness.flush(.due).failures.map(\.stream.rawValue) == ["dead"])
        for _ in 0..<5 {
            for stream in ["dead", "healthy"] { try await harness.save("text", to: stream) }
            let report = try await harness.flush(.due)
            #expect(report.delivered == 1 && report.failures.isEmpty && report.nextDue != nil)
            #expect(report.omitted.map(\.rawValue) == ["dead"])
        }
        let dead = try #require(try harness.pipeline.status().streams.first { $0.name.rawValue == "dead" })
        #expect(dead.records == 6 && dead.lastError != nil)
        #expect(try await harness.flush().failures.count == 1)
        #expect(server.requests.count { ParsedPutRequest($0).stream == "dead" } == 2)
    }
}

extension PipelineHarness {
    fileprivate func flush(_ scope: StreamScheduler.Scope) async throws -> FlushReport {
        try await withCheckedContinuation { continuation in
            pipeline.flush(scope) { continuation.resume(returning: $0) }
        }.get()
    }
}
