import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// A released client leaves nothing behind.
@Suite(.timeLimit(.minutes(10)), .serialized) struct LifetimeTests {
    /// The goal on an idle machine. Beside other tests, a time below every timeout.
    private let atOnce: Duration =
        ProcessInfo.processInfo.environment["STRESS"] == nil ? .seconds(50) : .milliseconds(100)

    @Test(arguments: ClientKind.allCases)
    func `a released client stops flushing and closes its files within 100 ms`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        try await expectPromptEnds("\(kind), idle") { directory in
            var client: TestClient? = try TestClient(kind, to: server.url, in: directory) {
                $0.flushStrategy = .interval(0.05)
            }
            // Before the record: on a busy machine it is sent before the next line runs.
            let events = client?.events()
            try await client?.record("text")
            _ = await events?.collect(1) { if case .progress = $0 { true } else { false } }
            #expect(!OpenFiles.under(directory.path).isEmpty)
            return await timeToClose(&client, directory)
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `a client released during an automatic flush cancels its request and closes within 100 ms`(
        kind: ClientKind
    ) async throws {
        let taking = try AcceptingServer()
        try await expectPromptEnds("\(kind), during a request") { directory in
            // Never responds, so that only the cancellation can end the request.
            let server = try LocalServer { _, _ in .stall }
            var client: TestClient? = try TestClient(kind, to: server.url, in: directory) {
                $0.flushStrategy = .interval(0.01)
                $0.maxRetries = 0
            }
            let events = client?.events()
            try await client?.record("text")
            await server.received(1)
            let time = await timeToClose(&client, directory)
            // The sequence of events ends without an event about a counted or lost record.
            for await event in try #require(events) { Issue.record("\(event)") }
            #expect(server.requests.count == 1)
            #expect(try await TestClient(kind, to: taking.url, in: directory).drain().recordsFlushed == 1)
            return time
        }
    }

    private func timeToClose(_ client: inout TestClient?, _ directory: TemporaryDirectory) async -> Duration {
        let start = ContinuousClock.now
        client = nil
        #expect(await OpenFiles.areGone(under: directory.path, within: .seconds(50)))
        return .now - start
    }

    /// At least half of the clients close in time. The machine's own time for comparable work is printed for comparison.
    private func expectPromptEnds(
        _ name: String,
        rounds: Int = 15,
        _ timeToClose: (TemporaryDirectory) async throws -> Duration
    ) async throws {
        var (times, machine): ([Duration], [Duration]) = ([], [])
        for _ in 0..<rounds {
            let directory = try TemporaryDirectory()
            machine.append(try await Machine.pace(in: directory))
            times.append(try await timeToClose(directory))
        }
        (times, machine) = (times.sorted(), machine.sorted())
        let (median, pace) = (times[rounds / 2], machine[rounds / 2])
        print(
            "S18 a released client, \(name): closed in \(median) (\(times[0]) to \(times[rounds - 1]), \(rounds) times);",
            "the machine's own \(pace) (to \(machine[rounds - 1]))"
        )
        #expect(median < atOnce)
    }

    @Test(arguments: ClientKind.allCases)
    func `a hundred clients that are created and released leave no file open`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let directory = try TemporaryDirectory()
        for number in 0..<100 {
            let client = try TestClient(kind, to: server.url, in: directory) { $0.flushStrategy = .interval(3_600) }
            try await client.record("\(number)")
        }
        #expect(await OpenFiles.areGone(under: directory.path, within: .seconds(50)))
    }
}

/// The time that a busy machine and disk need.
private enum Machine {
    /// The time that closing a store needs at least: threads woken one after the other, a small file written, made
    /// durable and removed.
    static func pace(in directory: TemporaryDirectory) async throws -> Duration {
        let start = ContinuousClock.now
        for _ in 0..<8 { await Task.detached {}.value }
        for number in 0..<2 {
            let file = directory.path("pace-\(number)")
            _ = FileManager.default.createFile(atPath: file, contents: nil)
            let handle = try #require(FileHandle(forWritingAtPath: file))
            try handle.write(contentsOf: Data(repeating: 1, count: 4_096))
            try handle.synchronize()
            try handle.close()
            try FileManager.default.removeItem(atPath: file)
        }
        return .now - start
    }
}

/// The files of this process, as the kernel lists them.
enum OpenFiles {
    static func under(_ directory: String) -> [String] {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.compactMap { number in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }.filter { $0.hasPrefix(directory + "/") }
    }

    static func areGone(under directory: String, within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            if under(directory).isEmpty { return true }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return under(directory).isEmpty
    }
}
