import AnswerFuzzer
import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Clearing and flushing some of a store's streams.
@Suite struct StreamSelectionTests {
    private func problems(of harness: PipelineHarness) throws -> [String] {
        try StoreVerification(at: StoreLocation(directory: harness.directory.path, fileName: "kinesis.db")).problems
    }

    @Test func `clearing a stream removes its records alone, kept ones and those of all segments`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { $0.hasSuffix("7") ? "InternalFailure" : nil } }
        let harness = try PipelineHarness(to: server) { $0.limits.bytes = 0 }
        try await harness.saveAll((0..<20).map { "early \($0)" }, to: "a")
        try await harness.saveAll((0..<20).map { "early \($0)" }, to: "b")
        _ = try? await harness.flush()
        // Several segments.
        let large = String(repeating: "x", count: 100_000)
        for number in 0..<30 { try await harness.save("\(large)\(number)", to: number % 3 == 0 ? "b" : "a") }
        let before = try harness.pipeline.totals()
        #expect(try await harness.pipeline.clear(StreamSelection(["a"])) == 22)
        let after = try harness.pipeline.totals()
        #expect(after.records == 12 && after.cleared == 22 && before.records == 34)
        #expect(after.saved == after.records + after.delivered + after.discarded + after.cleared)
        #expect(try harness.pipeline.status().streams.map(\.records) == [0, 12])
        #expect(try problems(of: harness) == [])
        #expect(try harness.storedTexts().filter { $0.hasPrefix("early") } == ["early 7", "early 17"])
        #expect(try await harness.pipeline.clear(StreamSelection(["a", "none"])) == 0)
        try await harness.save("new", to: "a")
        #expect(try await harness.pipeline.clear(StreamSelection(["b", "a"])) == 13)
        let end = try harness.pipeline.totals()
        #expect(end.records == 0 && end.bytes == 0)
        #expect(try problems(of: harness) == [])
    }

    @Test func `records that are cleared while they are in flight are counted once, as delivered`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["1", "2"], to: "a")
        try await harness.save("3", to: "b")
        async let flush = harness.flush()
        await server.received(2)
        #expect(try await harness.pipeline.clear(StreamSelection(["a"])) == 2)
        gate.open()
        _ = try await flush
        let totals = try harness.pipeline.totals()
        #expect(totals.records == 0 && totals.cleared == 0 && totals.delivered == 3)
        #expect(try problems(of: harness) == [])
    }

    @Test func `a flush of some streams sends these alone, and leaves the errors of others`() async throws {
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).stream == "b" ? .error(400, "AccessDeniedException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        let arn = "arn:aws:kinesis:us-east-1:123456789012:stream/c"
        for stream in ["a", "b", arn] { try await harness.save("text", to: stream) }
        _ = try? await harness.flush()
        for stream in ["a", arn, "d"] { try await harness.save("text", to: stream) }
        harness.pipeline.configure { $0.streams = StreamSelection(["c", "a"]) }
        #expect(try await harness.flush().delivered == 2)
        let streams = try harness.pipeline.status().streams
        #expect(streams.map { $0.records } == [0, 0, 1, 1])
        #expect(streams.map { $0.lastError != nil } == [false, false, true, false], "\(streams)")
    }
}
