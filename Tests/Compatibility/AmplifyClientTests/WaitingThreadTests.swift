import AmplifyFoundation
import AmplifyRecordCache
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// Threads that do not come back, and threads that the system does not give.
@Suite(.timeLimit(.minutes(2))) struct WaitingThreadTests {
    /// Blocks its first call until the gate opens; gives keys in later ones.
    private final class Provider: AWSCredentialsProvider, Sendable {
        let gate = Gate()
        private let started = DispatchSemaphore(value: 0)
        private let hasBlocked = Locked(false)

        func resolve() async throws -> any AWSCredentials {
            let isFirst = hasBlocked.withLock { hasBlocked in
                defer { hasBlocked = true }
                return !hasBlocked
            }
            if isFirst {
                started.signal()
                gate.wait()
            }
            return try await TestCredentials().resolve()
        }

        func firstCall() async throws { try await onNewThread(named: "wait") { self.started.wait() } }
    }

    @Test(arguments: ClientKind.allCases)
    func `a flush that was cancelled while its provider blocks ends, and the next one works`(kind: ClientKind)
        async throws
    {
        let provider = Provider()
        defer { provider.gate.open() }
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url) { $0.provider = provider }
        try await client.record(Data("a".utf8))
        let flush = Task { try await client.flush() }
        try await provider.firstCall()
        flush.cancel()
        await #expect(throws: (any Error).self) { try await flush.value }
        #expect(try await client.flush().recordsFlushed == 1)
        #expect(server.texts == ["a"])
    }

    @Test(.enabled(if: OtherUser.runsPrograms, "the limit does not hold for root"))
    func `without threads, calls fail that need one, and everything works when there are some`() async throws {
        let server = try AcceptingServer()
        let directory = try TemporaryDirectory()
        OtherUser.give(directory.path)
        let program = "\(BuiltProgram.directory)/AmplifyChild"
        let words = OtherUser.prefix + [program, "threads", server.url, directory.path, "t", "0"]
        let ran = try await BuiltProgram.run("/usr/bin/env", words)
        #expect(ran.status == 0, "\(ran)")
        let lines = ran.out.split(separator: "\n")
        #expect(lines.map { $0.prefix { $0 != ":" } } == ["record", "flush"], "\(ran)")
        #expect(lines.allSatisfy { $0.contains("no further thread") && $0.contains("ulimit -u") }, "\(ran)")
        #expect(server.texts == ["before", "after"])
    }
}
