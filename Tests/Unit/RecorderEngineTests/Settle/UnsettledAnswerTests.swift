import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderSQLite
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
    private func filledHarness(to server: LocalServer) async throws -> PipelineHarness {
        let harness = try PipelineHarness(to: server) { $0.batchByteLimit = 1 }
        for stream in ["a", "b"] { try await harness.saveAll((0..<10).map { "\(stream) \($0)" }, to: stream) }
        return harness
    }

    private func texts(of server: LocalServer) -> [String] { server.requests.flatMap { PutRequestBody($0.body).texts } }

    @Test func `the flush sends nothing more and says so once, and the next one settles the answer before it sends`()
        async throws
    {
        let path = Locked("")
        let server = try LocalServer { request, index in
            let path = path.withLock(\.self)
            if index == 4 {
                #expect(throws: Never.self) {
                    try SQLiteConnection(path: path, access: .readWrite).execute(Self.obstacle)
                }
            }
            return .kinesis(request)
        }
        let harness = try await filledHarness(to: server)
        path.withLock { $0 = harness.path }
        let report = try await harness.flush()
        #expect(report.failures.count == 1)
        #expect(report.failures.first?.error.message.contains("Nothing more is sent") == true)
        let sent = server.requests.count
        // Those that were on their way: of each stream one whose answer was not settled, and the next.
        #expect(sent < 20 && sent <= report.delivered + 4)
        await #expect(throws: RecorderError.self) { try await harness.flush() }
        #expect(server.requests.count == sent)

        try change(harness.path, "DROP TRIGGER obstacle")
        let rest = try await harness.flush()
        #expect(rest.failures.isEmpty && report.delivered + rest.delivered == 20)
        #expect(Set(texts(of: server)).count == 20 && server.requests.count == 20)
        #expect(try harness.pipeline.totals().delivered == 20)
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

    @Test func `after an answer that cannot be settled, each stream's stored error stays until it is sent`()
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
        #expect(try await harness.flush().failures.count == 1)
        let left = try errors()
        #expect(left.contains { $0.contains("Nothing more is sent") }, "\(left)")
        #expect(left.contains { $0.contains("no such stream") }, "\(left)")
        try change(harness.path, "DROP TRIGGER obstacle")
        #expect(try await harness.flush().failures.isEmpty)
        #expect(try errors() == ["", ""])
    }
}
