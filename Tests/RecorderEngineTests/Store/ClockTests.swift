import RecorderEngine
import RecorderTestSupport
import Testing

/// The wall clock of a device without a clock chip: it starts years off, and jumps when the network comes.
@Suite struct ClockTests {
    private static let hour: Double = 3_600
    private static let day: Double = 24 * hour

    @Test(arguments: [-2 * hour, 10 * day, 15 * 365 * day, -40 * 365 * day])
    func `a clock that jumps loses nothing and changes no order`(jump: Double) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let road = try Road(to: server)
        try await road.saveAll(["1", "2"])
        road.clock.advance(by: jump)
        try await road.saveAll(["3", "4"])
        road.clock.advance(by: -jump)
        try await road.save("5")
        _ = try await road.flush()
        #expect(server.requests.flatMap { PutRequestSeen($0).texts } == ["1", "2", "3", "4", "5"])
        #expect(road.events.discards.isEmpty)
    }

    @Test func `what a jump of the clock makes too old is discarded with a report, never silently`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let road = try Road(to: server) { $0.limits.age = .seconds(Self.day) }
        try await road.saveAll(["1", "2", "3"])
        road.clock.advance(by: 10 * Self.day)
        try await road.save("4")
        _ = try await road.flush()
        #expect(road.events.discards.map(\.count) == [3])
        #expect(road.events.discards.first?.reason == .ageLimit)
        #expect(server.requests.flatMap { PutRequestSeen($0).texts } == ["4"])
    }

    @Test func `a record from a clock that was ahead is not too old`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let road = try Road(to: server) { $0.limits.age = .seconds(Self.day) }
        try await road.save("from the future")
        road.clock.advance(by: -10 * Self.day)
        try await road.save("from now")
        _ = try await road.flush()
        #expect(server.requests.flatMap { PutRequestSeen($0).texts } == ["from the future", "from now"])
        #expect(road.events.discards.isEmpty)
    }
}
