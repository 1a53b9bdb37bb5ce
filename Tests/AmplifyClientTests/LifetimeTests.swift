import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// What a client leaves behind when the last reference goes: nothing.
@Suite(.timeLimit(.minutes(10)), .serialized) struct LifetimeTests {
    /// What is aimed at, on a machine that has nothing else to do; beside other tests, less than any timeout.
    private let atOnce: Duration =
        ProcessInfo.processInfo.environment["STRESS"] == nil ? .seconds(50) : .milliseconds(100)

    @Test(arguments: Side.allCases)
    func `a released client closes its files and stops flushing at once`(side: Side) async throws {
        let server = try TakingServer()
        try await expectOneOfFive { directory in
            var client: TestClient? = try TestClient(side, to: server.url, in: directory) {
                $0.flushStrategy = .interval(0.05)
            }
            try await client?.record("text")
            _ = await client?.events().collect(1) { if case .progress = $0 { true } else { false } }
            #expect(!OpenFiles.under(directory.path).isEmpty)
            client = nil
            return await OpenFiles.areGone(under: directory.path, within: atOnce)
        }
    }

    /// Any machine may take a tenth of a second for itself; so one of five has to do.
    private func expectOneOfFive(_ closes: (TemporaryDirectory) async throws -> Bool) async throws {
        for _ in 0..<5 {
            if try await closes(TemporaryDirectory()) { return }
        }
        Issue.record("not one of five clients closed its files in time")
    }

    @Test(arguments: Side.allCases)
    func `a client released during an automatic flush cancels its request and closes at once`(
        side: Side
    ) async throws {
        let taking = try TakingServer()
        try await expectOneOfFive { directory in
            let server = try LocalServer { _, _ in .stall }
            var client: TestClient? = try TestClient(side, to: server.url, in: directory) {
                $0.flushStrategy = .interval(0.01)
                $0.maxRetries = 0
            }
            let events = client?.events()
            try await client?.record("text")
            await server.received(1)
            client = nil
            let isInTime = await OpenFiles.areGone(under: directory.path, within: atOnce)
            // The sequence of events ends, and none of them says that the record was counted or lost.
            for await event in try #require(events) { Issue.record("\(event)") }
            #expect(try await TestClient(side, to: taking.url, in: directory).drain().recordsFlushed == 1)
            return isInTime
        }
    }

    @Test(arguments: Side.allCases)
    func `a hundred clients made and released leave no file open`(side: Side) async throws {
        let server = try TakingServer()
        let directory = try TemporaryDirectory()
        for number in 0..<100 {
            let client = try TestClient(side, to: server.url, in: directory) { $0.flushStrategy = .interval(3_600) }
            try await client.record("\(number)")
        }
        #expect(await OpenFiles.areGone(under: directory.path, within: atOnce))
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
