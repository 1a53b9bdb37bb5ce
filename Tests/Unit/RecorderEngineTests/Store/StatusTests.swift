import Foundation
import RecorderEngine
import RecorderTestSupport
import Testing

@Suite struct StatusTests {
    @Test func `the status tells each stream's records, and the age of the oldest that is left`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { $0 == "kept" ? "InternalFailure" : nil } }
        let road = try PipelineHarness(to: server)
        let start = road.clock.now
        try await road.save("first", to: "b")
        road.clock.advance(by: 60)
        try await road.save("kept", to: "b")
        road.clock.advance(by: 60)
        try await road.save("other", to: "a")
        var status = try road.pipeline.status()
        #expect(status.totals.records == 3)
        #expect(status.streams.map(\.name.rawValue) == ["a", "b"])
        #expect(status.streams.map(\.records) == [1, 2])
        #expect(status.streams.map { $0.oldest?.timeIntervalSince(start) } == [120, 0])
        _ = try await road.flush()
        status = try road.pipeline.status()
        #expect(status.streams.map(\.records) == [0, 1])
        #expect(status.totals.delivered == 2)
        #expect(status.streams.map { $0.oldest?.timeIntervalSince(start) } == [nil, 60])
    }

    @Test func `why a stream was left stays in the store until a flush sends it`() async throws {
        let server = try LocalServer { request, index in
            index == 0 ? .error(400, "ResourceNotFoundException", message: "no such stream") : .kinesis(request)
        }
        let road = try PipelineHarness(to: server)
        try await road.save("a")
        _ = try await road.flush()
        // What another process sees.
        let other = try PipelineHarness(in: road.directory)
        let trouble = try #require(try other.pipeline.status().streams.first?.trouble)
        #expect(trouble.message.contains("no such stream"))
        #expect(abs(trouble.date.timeIntervalSince(road.clock.now)) < 0.001)
        _ = try await road.flush()
        #expect(try other.pipeline.status().streams.map { $0.trouble == nil } == [true])
    }

    @Test func `the limits are those of the last saver`() async throws {
        let road = try PipelineHarness {
            $0.limits = DiskLimits(bytes: 4_000, age: .seconds(90), notificationThreshold: 0)
        }
        #expect(try road.pipeline.status().limits == nil)
        try await road.save("a")
        #expect(try road.pipeline.status().limits?.bytes == 4_000)
        road.pipeline.policy.limits.bytes = 5_000
        try await road.save("b")
        let limits = try #require(try road.pipeline.status().limits)
        #expect(limits.bytes == 5_000 && limits.age == .seconds(90))
    }
}
