import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// A store in which an answer cannot be settled, whatever the reason: what is delivered would be sent again and again.
@Suite struct UnsettledAnswerTests {
    /// Lets every settlement fail, as damage, a full disk or a disk that can only be read do.
    private static let obstacle =
        "CREATE TRIGGER obstacle BEFORE UPDATE OF cursor ON stream BEGIN SELECT RAISE(ABORT, 'not now'); END"

    private func change(_ path: String, _ sql: String) throws {
        try SQLiteConnection(path: path, access: .readWrite).execute(sql)
    }

    /// Saves to two streams, with a record in each request.
    private func filledHarness(
        to server: LocalServer,
        in directory: TemporaryDirectory? = nil
    ) async throws -> PipelineHarness {
        let harness = try PipelineHarness(to: server, in: directory) { $0.batchByteLimit = 1 }
        for stream in ["a", "b"] { try await harness.saveAll((0..<10).map { "\(stream) \($0)" }, to: stream) }
        return harness
    }

    private func texts(of server: LocalServer) -> [String] { server.requests.flatMap { PutRequestBody($0.body).texts } }

    /// Lets every settlement of some streams fail from one request on.
    private func serverWithObstacle(
        in directory: TemporaryDirectory,
        atRequest first: Int = 0,
        ofStreams numbers: String = "1"
    ) throws -> LocalServer {
        let path = directory.path("kinesis.db")
        let isDone = Locked(false)
        return try LocalServer { request, index in
            isDone.withLock { isDone in
                guard index >= first, !isDone else { return }
                isDone = true
                let obstacle = Self.obstacle.replacing("ON stream", with: "ON stream WHEN new.number IN (\(numbers))")
                #expect(throws: Never.self) { try SQLiteConnection(path: path, access: .readWrite).execute(obstacle) }
            }
            return .kinesis(request)
        }
    }

    @Test func `its stream is sent nothing more, and the next flush settles the answer before it sends`() async throws {
        let directory = try TemporaryDirectory()
        let server = try serverWithObstacle(in: directory, atRequest: 4, ofStreams: "1, 2")
        let harness = try await filledHarness(to: server, in: directory)
        let report = try await harness.flush()
        #expect(Set(report.failures.map(\.stream.rawValue)) == ["a", "b"])
        #expect(report.failures.allSatisfy { $0.error.message.contains("Nothing more is sent") })
        let sent = server.requests.count
        // Those that were on their way: of each stream one whose answer was not settled, and the next.
        #expect(sent < 20 && sent <= report.delivered + 4)
        #expect(try await harness.flush().failures.count == 2)
        #expect(server.requests.count == sent)

        try change(harness.path, "DROP TRIGGER obstacle")
        let rest = try await harness.flush()
        #expect(rest.failures.isEmpty && report.delivered + rest.delivered == 20)
        #expect(Set(texts(of: server)).count == 20 && server.requests.count == 20)
        #expect(try harness.pipeline.totals().delivered == 20)
    }

    @Test func `other streams are sent, in this flush and in later ones`() async throws {
        let directory = try TemporaryDirectory()
        let server = try serverWithObstacle(in: directory)
        let harness = try await filledHarness(to: server, in: directory)
        let report = try await harness.flush()
        #expect(report.failures.map(\.stream.rawValue) == ["a"] && report.delivered == 10)
        try await harness.saveAll(["b 10", "b 11"], to: "b")
        let next = try await harness.flush()
        #expect(next.failures.map(\.stream.rawValue) == ["a"] && next.delivered == 2)
        try change(harness.path, "DROP TRIGGER obstacle")
        let rest = try await harness.flush()
        #expect(rest.failures.isEmpty && rest.delivered == 10)
        #expect(Set(texts(of: server)).count == 22 && server.requests.count == 22)
    }

    @Test func `what holds a stream back is told beside a stream that is being sent, too`() async throws {
        let directory = try TemporaryDirectory()
        let gate = Gate()
        let path = directory.path("kinesis.db")
        let obstacle = Self.obstacle.replacing("ON stream", with: "ON stream WHEN new.number = 1")
        let server = try LocalServer { request, _ in
            switch ParsedPutRequest(request).stream {
            case "held": #expect(throws: Never.self) { try change(path, obstacle) }
            case "slow": gate.wait()
            default: break
            }
            return .kinesis(request)
        }
        defer { gate.open() }
        let harness = try PipelineHarness(to: server, in: directory)
        for stream in ["held", "slow"] { try await harness.save("text", to: stream) }
        async let first = harness.flush()
        await server.received(2)
        try await harness.save("text", to: "other")
        async let second = harness.flush()
        await server.received(3)
        gate.open()
        for report in try await [first, second] { #expect(report.failures.map(\.stream.rawValue) == ["held"]) }
        let failed = try harness.pipeline.status().streams.filter { $0.lastError != nil }
        #expect(failed.map(\.name.rawValue) == ["held"])
        try change(harness.path, "DROP TRIGGER obstacle")
        #expect(try await harness.flush().delivered == 1 && server.requests.count == 3)
    }

    @Test func `what others discarded meanwhile stays discarded`() async throws {
        let directory = try TemporaryDirectory()
        let server = try serverWithObstacle(in: directory)
        let harness = try PipelineHarness(to: server, in: directory) { $0.batchByteLimit = 1 }
        try await harness.saveAll((0..<10).map { "\($0)" })
        #expect(try await harness.flush().failures.count == 1)
        try change(harness.path, "DROP TRIGGER obstacle")

        let other = try PipelineHarness(to: server, in: directory) { $0.limits.bytes = 1_000 }
        #expect(try await other.flush().delivered == 10)
        for number in 0..<20 { try await other.save("other \(number)") }
        let evicted = try other.pipeline.totals().evicted
        #expect(evicted > 0)
        _ = try await harness.flush()
        let totals = try harness.pipeline.totals()
        #expect(totals.evicted == evicted && totals.delivered == 30 - evicted && totals.records == 0)
    }

    @Test func `a record that a limit removes while its answer waits is delivered, and told once`() async throws {
        let directory = try TemporaryDirectory()
        let server = try serverWithObstacle(in: directory)
        let harness = try PipelineHarness(to: server, in: directory) {
            $0.batchByteLimit = 1
            $0.limits.bytes = 1_000
        }
        for number in 0..<5 { try await harness.save("\(number)", key: "k") }
        _ = try await harness.flush()
        let sent = server.requests.count
        try change(harness.path, "DROP TRIGGER obstacle")
        try await harness.save(String(repeating: "x", count: 900), key: "k")
        #expect(try harness.storedTexts().count == 1 && harness.events.discards.reduce(0) { $0 + $1.count } == 5 - sent)
        #expect(try await harness.flush().delivered == sent + 1)
        let totals = try harness.pipeline.totals()
        #expect(totals.delivered == sent + 1 && totals.evicted == 5 - sent)
        #expect(harness.events.discards.reduce(0) { $0 + $1.count } == 5 - sent)
    }

    @Test func `a program that has just started sends nothing before it can settle`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try await filledHarness(to: server)
        try change(harness.path, Self.obstacle)
        for _ in 0..<2 { await #expect(throws: RecorderError.self) { try await harness.flush() } }
        #expect(server.requests.isEmpty)
        try change(harness.path, "DROP TRIGGER obstacle")
        #expect(try await harness.flush().delivered == 20)
        #expect(server.requests.count == 20)
    }

    @Test func `an answer that cannot be settled is its stream's stored error until it can be`()
        async throws
    {
        let server = try LocalServer { request, index in
            index < 2 ? .error(400, "ResourceNotFoundException", message: "no such stream") : .kinesis(request)
        }
        let harness = try await filledHarness(to: server)
        func errors() throws -> [String] { try harness.pipeline.status().streams.map { $0.lastError?.message ?? "" } }
        #expect(try await harness.flush().failures.count == 2)
        #expect(try errors().allSatisfy { $0.contains("no such stream") })
        try change(
            harness.path,
            """
            CREATE TRIGGER obstacle BEFORE UPDATE OF delivered ON stream WHEN NEW.delivered > OLD.delivered
            BEGIN SELECT RAISE(ABORT, 'not now'); END
            """
        )
        #expect(try await harness.flush().failures.count == 2)
        let left = try errors()
        #expect(left.allSatisfy { $0.contains("Nothing more is sent") }, "\(left)")
        try change(harness.path, "DROP TRIGGER obstacle")
        #expect(try await harness.flush().failures.isEmpty)
        #expect(try errors() == ["", ""])
    }
}
