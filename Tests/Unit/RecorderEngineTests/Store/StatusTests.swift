import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct StatusTests {
    @Test func `the status contains each stream's records, and the time of the oldest one left`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { $0 == "kept" ? "InternalFailure" : nil } }
        let harness = try PipelineHarness(to: server)
        let start = harness.clock.now
        try await harness.save("first", to: "b")
        harness.clock.advance(by: 60)
        try await harness.save("kept", to: "b")
        harness.clock.advance(by: 60)
        try await harness.save("other", to: "a")
        var status = try harness.pipeline.status()
        #expect(status.totals.records == 3)
        #expect(status.streams.map(\.name.rawValue) == ["a", "b"])
        #expect(status.streams.map(\.records) == [1, 2])
        #expect(status.streams.map { $0.oldest?.timeIntervalSince(start) } == [120, 0])
        _ = try await harness.flush()
        status = try harness.pipeline.status()
        #expect(status.streams.map(\.records) == [0, 1])
        #expect(status.totals.delivered == 2)
        #expect(status.streams.map { $0.oldest?.timeIntervalSince(start) } == [nil, 60])
    }

    @Test func `a stream's last error stays in the store until a flush sends the stream`() async throws {
        let server = try LocalServer { request, index in
            index == 0 ? .error(400, "ResourceNotFoundException", message: "no such stream") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.save("a")
        _ = try await harness.flush()
        // Reads it as another process does.
        let other = try PipelineHarness(in: harness.directory)
        let lastError = try #require(try other.pipeline.status().streams.first?.lastError)
        #expect(lastError.message.contains("no such stream"))
        #expect(abs(lastError.date.timeIntervalSince(harness.clock.now)) < 0.001)
        _ = try await harness.flush()
        #expect(try other.pipeline.status().streams.map { $0.lastError == nil } == [true])
    }

    @Test func `the limits are those of the last saver`() async throws {
        let harness = try PipelineHarness {
            $0.limits = DiskLimits(bytes: 4_000, age: .seconds(90), notificationThreshold: 0)
        }
        #expect(try harness.pipeline.status().limits == nil)
        try await harness.save("a")
        #expect(try harness.pipeline.status().limits?.bytes == 4_000)
        harness.pipeline.configure { $0.limits.bytes = 5_000 }
        try await harness.save("b")
        let limits = try #require(try harness.pipeline.status().limits)
        #expect(limits.bytes == 5_000 && limits.age == .seconds(90))
    }
}
