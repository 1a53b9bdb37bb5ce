import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// `maximumBytesPerSecond`: requests take no more of a link than was allowed.
@Suite struct ByteRateTests {
    private let pauses = Pauses()

    /// The pauses that calls asked for, which take no time.
    private final class Pauses: Sendable {
        private let list = Locked<[Duration]>([])
        var all: [Duration] { list.withLock { $0 } }

        func add(_ pause: Duration) { list.withLock { $0.append(pause) } }
    }

    private func paced(
        _ server: LocalServer,
        _ change: (inout RecorderPolicy) -> Void = { _ in }
    ) throws -> PipelineHarness {
        let now = ContinuousClock.now
        return try PipelineHarness(to: server, change) { [pauses] call in
            call.random = { 0.5 }
            call.instant = { now }
            call.pause = { duration in pauses.add(duration) }
        }
    }

    /// Sends 100 records of 4,000 bytes, in two flushes, to two streams.
    private func send(with harness: PipelineHarness) async throws {
        for stream in ["a", "b"] {
            for number in 0..<50 {
                try await harness.save(String(repeating: "\(number % 10)", count: 4_000), to: stream)
            }
            #expect(try await harness.flush().delivered == 50)
        }
    }

    @Test func `each request waits until those before it would have been sent at the rate`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try paced(server) { $0.maximumBytesPerSecond = 200 }
        try await send(with: harness)
        let sizes = server.requests.map { Int($0.header("Content-Length") ?? "") ?? 0 }
        let pauses = pauses.all
        // The test's pauses take no time. So the last one has to last until all earlier requests would have been sent.
        let expected = Duration.seconds(Double(sizes.dropLast().reduce(0, +)) / 200)
        #expect(sizes.count > 20 && pauses.count == sizes.count - 1)
        #expect(pauses.last.map { abs($0 / expected - 1) < 0.000_001 } == true, "\(pauses), \(expected)")
        #expect(sizes.allSatisfy { $0 < 30_000 })
    }

    @Test func `a request that is sent again counts again`() async throws {
        let server = try LocalServer { request, index in index == 0 ? .error(500, "InternalFailure") : .kinesis(request)
        }
        let harness = try paced(server) { $0.maximumBytesPerSecond = 200 }
        for _ in 0..<8 { try await harness.save(String(repeating: "x", count: 4_000)) }
        _ = try await harness.flush()
        let sizes = server.requests.map { Int($0.header("Content-Length") ?? "") ?? 0 }
        #expect(sizes.count == 3)
        let expected = Duration.seconds(Double(sizes[0] + sizes[1]) / 200)
        #expect(pauses.all.last.map { abs($0 / expected - 1) < 0.000_001 } == true, "\(pauses.all), \(expected)")
    }

    @Test func `a submit that is cancelled while it waits takes nothing of the rate`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let waits = Locked(true)
        // So low that all rounds end before the rate lets the last record go.
        let rate = 100
        let harness = try PipelineHarness(to: server, { $0.maximumBytesPerSecond = rate }) { [pauses] call in
            call.random = { 0.5 }
            call.pause = { duration in
                pauses.add(duration)
                if waits.withLock(\.self) { try await Task.sleep(for: .seconds(3_600)) }
            }
        }
        for _ in 0..<8 { try await harness.save(String(repeating: "x", count: 4_000)) }
        for round in 1...20 {
            let (ended, end) = AsyncStream<Void>.makeStream()
            harness.pipeline.flush { _ in end.finish() }
            while pauses.all.count < round { try await Task.sleep(for: .milliseconds(5)) }
            harness.pipeline.cancelFlush()
            for await _ in ended {}
        }
        waits.withLock { $0 = false }
        _ = try await harness.flush()
        let sizes = server.requests.map { Int($0.header("Content-Length") ?? "") ?? 0 }
        let last = try #require(pauses.all.last)
        #expect(last <= .seconds(Double(sizes.dropLast().reduce(0, +)) / Double(rate)), "\(last)")
    }

    @Test func `without a rate nothing waits, and requests are as large as allowed`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try paced(server)
        try await send(with: harness)
        #expect(server.requests.count == 2 && pauses.all.isEmpty)
    }
}
