import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// The Amplify clients' rule: how much one flush sends, and what it does while another one runs.
@Suite(.timeLimit(.minutes(10))) struct OneBatchTests {
    @Test func `a flush sends one batch of each stream, and a drain sends the rest`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(amplify: .kinesis, to: server)
        try await harness.saveAll((0..<1_200).map(String.init), to: "long")
        try await harness.saveAll((0..<3).map(String.init), to: "short")
        #expect(try await harness.pipeline.flushIfFree().delivered == 503)
        #expect(try harness.records() == 700)
        #expect(server.requests.count == 2)
        #expect(try await harness.pipeline.drain().delivered == 700)
        #expect(server.requests.count == 4)
    }

    @Test func `a flush while another one runs sends nothing and reports busy, for every client of the store`()
        async throws
    {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let harness = try PipelineHarness(amplify: .kinesis, to: server)
        let other = try PipelineHarness(amplify: .kinesis, to: server, in: harness.directory)
        try await harness.save("0")
        async let running = harness.pipeline.flushIfFree()
        await server.received(1)
        let (same, another) = (try await harness.pipeline.flushIfFree(), try await other.pipeline.flushIfFree())
        #expect(same.isBusy && same.delivered == 0)
        #expect(another.isBusy && another.delivered == 0)
        gate.open()
        let report = try await running
        #expect(!report.isBusy && report.delivered == 1)
        #expect(server.requests.count == 1)
        #expect(try await !other.pipeline.flushIfFree().isBusy)
    }

    @Test func `a drain requested during a flush runs after it`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let harness = try PipelineHarness(amplify: .kinesis, to: server)
        try await harness.saveAll((0..<1_200).map(String.init))
        async let flush = harness.pipeline.flushIfFree()
        await server.received(1)
        async let drain = harness.pipeline.drain()
        gate.open()
        #expect(try await flush.delivered == 500)
        #expect(try await drain.delivered == 700)
    }

    @Test func `a cancelled flush ends at once, and counts no attempt for records without an answer`() async throws {
        let server = try LocalServer { _, _ in .stall }
        let harness = try PipelineHarness(amplify: .kinesis, to: server)
        for stream in ["a", "b", "c", "d", "e", "f"] { try await harness.save("0", to: stream) }
        let flush = Task { try await harness.pipeline.flushIfFree() }
        await server.received(4)
        flush.cancel()
        let report = try await flush.value
        #expect(report.delivered == 0)
        #expect(report.failures.contains { !$0.error.isAnswer })
        #expect(server.requests.count == 4)
        #expect(try harness.storedFailures() == [0, 0, 0, 0, 0, 0])
    }
}
