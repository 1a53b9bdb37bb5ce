import Foundation
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// A file is replaced only if it is proven to be damaged.
@Suite struct InternalErrorTests {
    /// A store of three records, and a file that another program changed afterwards.
    private func threeRecords(after change: String) async throws -> (first: PipelineHarness, inode: UInt64) {
        let first = try PipelineHarness()
        for text in ["1", "2", "3"] { try await first.save(text) }
        try execute(change, in: first)
        return (first, try inode(first))
    }

    private func execute(_ sql: String, in harness: PipelineHarness) throws {
        try SQLiteConnection(path: harness.path, access: .readWrite).execute(sql)
    }

    private func inode(_ harness: PipelineHarness) throws -> UInt64 {
        let found = try FileManager.default.attributesOfItem(atPath: harness.path)[.systemFileNumber]
        return try #require(found as? UInt64)
    }

    private func names(_ harness: PipelineHarness) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: harness.directory.path)
    }

    struct Foreign: Sendable, CustomTestStringConvertible {
        let change: String
        let undo: String
        let name: String
        var testDescription: String { name }
    }

    @Test(arguments: [
        Foreign(
            change: "CREATE TRIGGER boom BEFORE UPDATE ON stream BEGIN SELECT RAISE(ABORT, 'bang'); END",
            undo: "DROP TRIGGER boom",
            name: "trigger boom"
        ),
        Foreign(
            change: "CREATE TRIGGER t2 AFTER INSERT ON segment BEGIN INSERT INTO nowhere VALUES (1); END",
            undo: "DROP TRIGGER t2",
            name: "trigger t2"
        ),
        Foreign(
            change: "CREATE UNIQUE INDEX one_stream ON stream (number > 0)",
            undo: "DROP INDEX one_stream",
            name: "index one_stream"
        ),
    ])
    func `what another program added makes saves fail with its name, and the file stays as it is`(
        foreign: Foreign
    ) async throws {
        let (first, inode) = try await threeRecords(after: foreign.change)
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: first.directory)
        let error = await #expect(throws: RecorderError.self) { try await harness.save("lost", to: "new") }
        #expect(error?.isInternal == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(foreign.name) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("SQLite error") == true)
        #expect(try self.inode(first) == inode && harness.events.rescues.isEmpty)
        #expect(try !names(first).contains { $0.contains("damaged") })
        try execute(foreign.undo, in: first)
        try await harness.save("5")
        #expect(try await harness.flush().failures.isEmpty)
        #expect(server.requests.flatMap { ParsedPutRequest($0).texts } == ["1", "2", "3", "5"])
    }

    @Test func `views with the names of later segments make saves fail, and the file stays as it is`() async throws {
        let views = (4...12).map { "CREATE VIEW block_\($0) AS SELECT missing FROM nowhere" }.joined(separator: "; ")
        let (first, inode) = try await threeRecords(after: views)
        let harness = try PipelineHarness(in: first.directory)
        let error = await #expect(throws: RecorderError.self) {
            for _ in 0..<8 { try await harness.save(Data(count: 200_000)) }
        }
        #expect(error?.isInternal == true && error?.message.contains("view block_10") == true)
        #expect(try self.inode(first) == inode && harness.events.rescues.isEmpty)
    }

    @Test(arguments: [
        "UPDATE stream SET records = 7 WHERE number = 1",
        "UPDATE stream SET records = 0 WHERE number = 1",
        "UPDATE stream SET records = records + 1 WHERE number = 0",
        "UPDATE stream SET records = 0, bytes = 0 WHERE number = 0",
        "UPDATE stream SET bytes = -9223372036854775808 WHERE number = 0",
        "UPDATE stream SET saved_bytes = 9223372036854775807 WHERE number = 0",
        "UPDATE stream SET next_sequence = 9223372036854775807 WHERE number = 0",
        "UPDATE stream SET next_sequence = 2 WHERE number = 0",
        "UPDATE stream SET next_sequence = 0 WHERE number = 0",
        "UPDATE segment SET removed = 9223372036854775807",
        "UPDATE segment SET removed = 1",
        "UPDATE segment SET first_bytes = -9223372036854775808",
        "UPDATE stream SET cursor = 16386 WHERE number = 1",
        "UPDATE stream SET cursor = -31534 WHERE number = 1",
        "UPDATE stream SET numbered = -1 WHERE number = 1",
        "UPDATE stream SET delivered = -5 WHERE number = 0",
        "CREATE TABLE record_log (x); INSERT INTO record_log VALUES (1); UPDATE stream SET records = 7 WHERE number = 1",
    ])
    func `a wrong count is corrected in the file, which loses no record and is not replaced`(
        change: String
    ) async throws {
        let (first, inode) = try await threeRecords(after: change)
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: first.directory)
        try await harness.save("4")
        for _ in 0..<2 { #expect(try await harness.flush().failures.isEmpty) }
        let arrived = server.requests.flatMap { ParsedPutRequest($0).texts }
        #expect(arrived == ["1", "2", "3", "4"])
        try await harness.save("5")
        #expect(try await harness.flush().delivered == 1)
        #expect(try self.inode(first) == inode && harness.events.rescues.isEmpty)
        let location = StoreLocation(directory: first.directory.path, fileName: "kinesis.db")
        #expect(try harness.records() == 0)
        #expect(try StoreVerification(at: location).problems == [])
        let keys = server.requests.flatMap { PutRequestBody($0.body).records.map(\.partitionKey) }
        #expect(Set(keys).count == 5)
    }

    @Test(arguments: ["bytes + 1", "0", "1 << 60", "1 << 63"])
    func `a wrong count of a stream's bytes is corrected when the store is full, and saves go on`(
        bytes: String
    ) async throws {
        let first = try PipelineHarness()
        // Nine times 1 << 60 is no number of 64 bits.
        for number in 0..<9 { try await first.save("\(number)", to: "stream-\(number)", key: "k") }
        try execute("UPDATE stream SET bytes = \(bytes) WHERE number > 0", in: first)
        // Each record takes 1 + 1 + 64 bytes.
        let harness = try PipelineHarness(in: first.directory) { $0.limits.bytes = 9 * 66 }
        try await harness.save("9", key: "k")
        #expect(try harness.storedTexts() == (1...9).map { "\($0)" })
        #expect(harness.events.rescues.isEmpty)
        let location = StoreLocation(directory: first.directory.path, fileName: "kinesis.db")
        #expect(try StoreVerification(at: location).problems == [])
    }

    @Test func `records that two counts agree on and that are missing are reported as lost`() async throws {
        let (first, inode) = try await threeRecords(after: "UPDATE stream SET cursor = 2 WHERE number = 1")
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: first.directory)
        for _ in 0..<2 { _ = try? await harness.flush() }
        #expect(server.requests.flatMap { ParsedPutRequest($0).texts } == ["3"])
        #expect(try self.inode(first) != inode && harness.events.rescues.count == 1)
    }
}
