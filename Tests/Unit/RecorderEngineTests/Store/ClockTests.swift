import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// The wall clock of a device without a battery-backed clock: it starts years off, and jumps once the network is up.
@Suite struct ClockTests {
    private static let hour: Double = 3_600
    private static let day: Double = 24 * hour

    @Test(arguments: [-2 * hour, 10 * day, 15 * 365 * day, -40 * 365 * day])
    func `a clock that jumps loses nothing and changes no order`(jump: Double) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server) { $0.limits.age = .seconds(Self.hour) }
        try await harness.saveAll(["1", "2"])
        harness.clock.jump(by: jump)
        try await harness.saveAll(["3", "4"])
        harness.clock.jump(by: -jump)
        try await harness.save("5")
        _ = try await harness.flush()
        #expect(server.requests.flatMap { ParsedPutRequest($0).texts } == ["1", "2", "3", "4", "5"])
        #expect(harness.events.discards.isEmpty)
    }

    @Test func `records over the age limit are discarded and reported`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server) { $0.limits.age = .seconds(Self.day) }
        try await harness.saveAll(["1", "2", "3"])
        harness.clock.advance(by: 10 * Self.day)
        try await harness.save("4")
        _ = try await harness.flush()
        #expect(harness.events.discards.map(\.count) == [3])
        #expect(harness.events.discards.first?.reason == .ageLimit)
        #expect(server.requests.flatMap { ParsedPutRequest($0).texts } == ["4"])
    }

    @Test(arguments: [-30 * 365 * day, 12 * 365 * day])
    func `age is measured by elapsed time, whatever the clock is set to meanwhile`(jump: Double) async throws {
        let harness = try PipelineHarness { $0.limits.age = .seconds(Self.day) }
        try await harness.save("first")
        harness.clock.advance(by: 0.6 * Self.day)
        harness.clock.jump(by: jump)
        try await harness.save("second")
        harness.clock.advance(by: 0.6 * Self.day)
        try await harness.save("third")
        #expect(try harness.storedTexts() == ["second", "third"])
        #expect(harness.events.discards.map(\.count) == [1])
    }

    @Test(arguments: [-30 * 365 * day, 12 * 365 * day])
    func `a program that starts with a clock years off expires no earlier record`(jump: Double) async throws {
        let harness = try PipelineHarness { $0.limits.age = .seconds(Self.day) }
        try await harness.saveAll(["1", "2"])
        harness.clock.jump(by: jump)
        let later = try PipelineHarness(in: harness.directory, by: harness.clock) { $0.limits.age = .seconds(Self.day) }
        try await later.save("3")
        #expect(try later.storedTexts() == ["1", "2", "3"])
        let oldest = try #require(try later.pipeline.status().streams.first?.oldest)
        #expect(abs(oldest.timeIntervalSince(harness.clock.now)) < 1, "relative to the clock's current setting")
    }

    private static let timesOff: [(Double, Int)] = [
        (-30 * 365 * day, 3), (12 * 365 * day, 3), (0.5 * day, 3), (2 * day, 1),
    ]

    @Test(arguments: timesOff)
    func `time without power counts only if the clock is plausible`(off: Double, left: Int) async throws {
        let harness = try PipelineHarness { $0.limits.age = .seconds(Self.day) }
        try await harness.saveAll(["1", "2"])
        harness.clock.reboot(after: off)
        let later = try PipelineHarness(in: harness.directory, by: harness.clock) { $0.limits.age = .seconds(Self.day) }
        try await later.save("3")
        #expect(try later.records() == left)
    }
}
