import Foundation
import RecorderEngine
import RecorderTestSupport
import Testing

/// How much one flush sends by the rule of the Amplify clients, and what it does beside another.
@Suite(.timeLimit(.minutes(5))) struct OneBatchTests {
    @Test func `a flush sends one batch of each stream, and a drain the rest`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let road = try Road(amplify: .kinesis, to: server)
        try await road.saveAll((0..<1_200).map(String.init), to: "long")
        try await road.saveAll((0..<3).map(String.init), to: "short")
        #expect(try await road.flushIfFree().delivered == 503)
        #expect(try road.records() == 700)
        #expect(server.requests.count == 2)
        #expect(try await road.flush().delivered == 700)
        #expect(server.requests.count == 4)
    }

    @Test func `a flush beside another does nothing and says so, whichever client asks`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let road = try Road(amplify: .kinesis, to: server)
        let other = try Road(amplify: .kinesis, to: server, in: road.directory)
        try await road.save("0")
        async let running = road.flushIfFree()
        await server.received(1)
        let (same, another) = (try await road.flushIfFree(), try await other.flushIfFree())
        #expect(same.isBusy && same.delivered == 0)
        #expect(another.isBusy && another.delivered == 0)
        gate.open()
        let report = try await running
        #expect(!report.isBusy && report.delivered == 1)
        #expect(server.requests.count == 1)
        #expect(try await !other.flushIfFree().isBusy)
    }

    @Test func `a drain that is asked for during a flush follows it`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let road = try Road(amplify: .kinesis, to: server)
        try await road.saveAll((0..<1_200).map(String.init))
        async let flush = road.flushIfFree()
        await server.received(1)
        async let drain = road.flush()
        gate.open()
        #expect(try await flush.delivered == 500)
        #expect(try await drain.delivered == 700)
    }
}
