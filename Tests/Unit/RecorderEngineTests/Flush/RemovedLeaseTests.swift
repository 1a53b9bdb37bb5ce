import Foundation
import RecorderStore
import RecorderTestSupport
import Testing

/// Removing the lock files of a store in use lets another process in; the process that held the lock notices.
@Suite(.timeLimit(.minutes(10))) struct RemovedLeaseTests {
    /// What happens to the lease's file during a submit.
    enum Loss: String, CaseIterable, Sendable {
        case removed, replaced
    }

    private static func lose(_ loss: Loss, _ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
        if loss == .replaced { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    }

    @Test(arguments: Loss.allCases, [1, 3])
    func `a submit that has lost its lease sends nothing more, and only requests in flight are sent twice`(
        loss: Loss,
        requestsPerStream: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        let isSubmitted = Gate()
        // With one request at a time, the next batch is read once there was an answer.
        let answered = requestsPerStream == 1 ? 1 : 0
        let server = try LocalServer { request, index in
            if (answered..<answered + requestsPerStream).contains(index) { isSubmitted.wait() }
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server, in: directory) { $0.requestsPerStream = requestsPerStream }
        let texts = (0..<3_000).map(String.init)
        try await harness.saveAll(texts)
        async let first = harness.flush()
        await server.received(answered + requestsPerStream)
        try Self.lose(loss, "\(harness.path).submit")
        // Like another process that finds the lease free.
        let other = try PipelineHarness(to: server, in: directory)
        #expect(try await other.flush().failures.isEmpty)
        let before = server.requests.count
        isSubmitted.open()
        let report = try await first
        #expect(server.requests.count == before)
        #expect(report.failures.first?.error.message.contains(".submit") == true)
        let times = Dictionary(grouping: server.requests.flatMap { ParsedPutRequest($0).texts }) { $0 }.mapValues(
            \.count
        )
        #expect(Set(times.keys) == Set(texts))
        #expect(times.values.count { $0 > 1 } <= 500 * requestsPerStream)
        #expect(try harness.records() == 0)
    }

    @Test func `a submit whose lease was removed counts no failure, and the next one sends the rest`() async throws {
        let directory = try TemporaryDirectory()
        let server = try LocalServer { request, index in
            if index == 0 { try? Self.lose(.removed, directory.path("kinesis.db.submit")) }
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server, in: directory)
        let texts = (0..<1_200).map(String.init)
        try await harness.saveAll(texts)
        #expect(try await harness.flush().delivered == 500)
        #expect(try await harness.flush().delivered == 700)
        #expect(server.requests.flatMap { ParsedPutRequest($0).texts } == texts)
    }

    @Test func `a submit that waited for another one sends nothing of a store that was moved meanwhile`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        try await harness.save("moved")
        let path = "\(harness.path).submit"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        async let flush = harness.flush()
        // The submit has tried once it has the file open, too. After a minute it gives up: no other test may delay this one.
        await onDedicatedThread {
            while (try? Self.descriptors(of: path)) ?? 0 < 2 { usleep(1_000) }
            for end in ["", "-wal", "-shm"] {
                #expect(rename(harness.path + end, harness.directory.path("moved.db\(end)")) == 0)
            }
            flock(file, LOCK_UN)
        }
        #expect(try await flush.delivered == 0)
        #expect(server.requests.isEmpty)
    }

    /// How often this process has a file open.
    private static func descriptors(of path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
    }

    @Test(arguments: Loss.allCases)
    func `a save whose lock file was removed waits for the holder of the new one`(loss: Loss) async throws {
        let harness = try PipelineHarness()
        try await harness.save("1")
        let path = "\(harness.path).lock"
        try Self.lose(loss, path)
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        let isStored = DispatchSemaphore(value: 0)
        let result = Task { try await harness.save("2") }
        let early = Task {
            try await result.value
            isStored.signal()
        }
        #expect(isStored.wait(timeout: .now() + 0.2) == .timedOut)
        flock(file, LOCK_UN)
        try await early.value
        #expect(try harness.storedTexts() == ["1", "2"])
    }
}
