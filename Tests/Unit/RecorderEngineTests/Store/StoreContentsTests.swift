import AnswerFuzzer
import Foundation
import RecordFormats
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// Reading a store's records without changing it.
@Suite struct StoreContentsTests {
    private func location(of harness: PipelineHarness) -> StoreLocation {
        StoreLocation(directory: harness.directory.path, fileName: "kinesis.db")
    }

    /// The records of a stream, in pages of so many.
    private func read(
        _ contents: StoreContents,
        _ stream: String,
        atMost count: Int = .max,
        between: () async throws -> Void = {}
    ) async throws -> [ContentRecord] {
        let summary = try #require(contents.streams.first { $0.name.rawValue == stream })
        var position = contents.start(of: summary)
        var all: [ContentRecord] = []
        while true {
            let page = try contents.page(at: &position, atMost: count)
            if page.isEmpty { return all }
            all += page
            try await between()
        }
    }

    private func texts(_ records: [ContentRecord]) -> [String] {
        records.map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test(arguments: [1, 7, Int.max])
    func `all records of a stream are read in order, with their keys and times, in pages of any size`(
        count: Int
    ) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { $0.hasSuffix("5") ? "InternalFailure" : nil } }
        let harness = try PipelineHarness(to: server) { $0.limits.bytes = 0 }
        let saved = (0..<40).map { "text \($0)" }
        try await harness.saveAll(saved, to: "a")
        try await harness.save("given", to: "b", key: "k")
        _ = try? await harness.flush()
        try await harness.save("new", to: "a", key: "key")
        let contents = try StoreContents(at: location(of: harness), clock: harness.clock.system)
        let records = try await read(contents, "a", atMost: count)
        #expect(texts(records) == ["text 5", "text 15", "text 25", "text 35", "new"])
        #expect(records.map(\.partitionKey).last == "key" && records.map(\.identity?.ordinal) == [5, 15, 25, 35, nil])
        #expect(records.allSatisfy { $0.savedAt == harness.clock.now })
        #expect(contents.streams.map(\.name.rawValue) == ["a"])
    }

    @Test func `a record that stays is read once, whatever leaves between two pages`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { $0.hasSuffix("3") ? "InternalFailure" : nil } }
        let harness = try PipelineHarness(to: server) { $0.limits.bytes = 0 }
        try await harness.saveAll((0..<100).map { "\($0)" }, to: "a")
        let contents = try StoreContents(at: location(of: harness))
        let read = try await read(contents, "a", atMost: 10) {
            _ = try? await harness.flush()
            try await harness.save("later", to: "a")
        }
        let staying = (0..<100).map { "\($0)" }.filter { $0.hasSuffix("3") }
        #expect(texts(read) == (0..<10).map { "\($0)" } + staying.dropFirst())
    }

    @Test func `a page of large records takes a mebibyte and one record at most`() async throws {
        let harness = try PipelineHarness { $0.limits.bytes = 0 }
        for _ in 0..<12 { try await harness.save(Data(count: 250_000), to: "a") }
        let contents = try StoreContents(at: location(of: harness))
        var position = contents.start(of: try #require(contents.streams.first))
        #expect(try contents.page(at: &position).count == 5)
    }

    @Test func `a damaged record ends the reading with an error`() async throws {
        let harness = try PipelineHarness { $0.limits.bytes = 0 }
        try await harness.save("unaltered", to: "a")
        let connection = try SQLiteConnection(path: harness.path, access: .readWrite)
        try connection.execute("UPDATE block_1 SET data = CAST('unAltered' AS BLOB)")
        let contents = try StoreContents(at: location(of: harness))
        await #expect(throws: RecorderError.self) { try await read(contents, "a") }
        let found = try StoreVerification(at: location(of: harness))
        #expect(found.problems == ["stream a: records altered, with a wrong checksum: 1 of 1"])
        #expect(found.readable?.records == 0)
    }

    /// Changes that SQLite does not notice, each with a word of the problem that must be found.
    @Test(arguments: [
        ("UPDATE stream SET records = 9 WHERE number = 1", "stream a: records counted: 9; found: 3"),
        ("UPDATE stream SET cursor = 1 WHERE number = 1", "stream a: records counted: 3; found: 2"),
        ("UPDATE stream SET bytes = 1000 WHERE number = 0", "all streams: bytes counted: 1000; found: "),
        ("UPDATE stream SET bytes = 1000 WHERE number = 1", "stream a: bytes counted: 1000; found: "),
        (
            "UPDATE stream SET delivered = 5 WHERE number = 0",
            "records saved: 3; stored, delivered, discarded or cleared: 8"
        ),
        (
            "UPDATE stream SET numbered = 1 WHERE number = 1",
            "records ever saved without a key: 1; by the last one's number: 3"
        ),
        ("UPDATE meta SET key_source = 77", "records in a place that contradicts their numbers: 3"),
        ("UPDATE segment SET key_source = 77", "records in a place that contradicts their numbers: 3"),
        ("UPDATE segment SET removed = 1", "table block_1: records counted: 2; found: 3"),
        ("DELETE FROM segment", "block_1 has records, but its segment is not listed"),
        ("DELETE FROM stream WHERE number = 1", "all streams: records counted: 3; found: 0"),
        ("DELETE FROM block_1", "stream a: records counted: 3; found: 0"),
        ("DROP TABLE block_1", "table block_1 is missing"),
        ("DELETE FROM meta", "the one that identifies it, is missing"),
        ("UPDATE block_1 SET span = 0", "a block's list of records is wrong"),
        ("UPDATE stream SET name = 'a b' WHERE number = 1", "stream a b: its name or number is invalid"),
        (
            "UPDATE stream SET next_sequence = -1 WHERE number = 0",
            "the store's next sequence is -1; the last one in use: 3"
        ),
    ])
    func `a wrong count, name or table is found`(change: String, problem: String) async throws {
        let harness = try PipelineHarness { $0.limits.bytes = 0 }
        try await harness.saveAll(["1", "2", "3"], to: "a")
        #expect(try StoreVerification(at: location(of: harness)).problems == [])
        let connection = try SQLiteConnection(path: harness.path, access: .readWrite)
        try connection.execute(change)
        let found = try StoreVerification(at: location(of: harness)).problems
        #expect(found.contains { $0.contains(problem) }, "\(found)")
    }
}
