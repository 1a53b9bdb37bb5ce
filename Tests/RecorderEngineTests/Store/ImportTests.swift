import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderTestSupport
import Testing

@Suite struct ImportTests {
    private func database(_ directory: TemporaryDirectory, _ sql: String) throws -> String {
        let path = directory.path("original")
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        try connection.execute(sql)
        return path
    }

    private func importing(_ path: String, into road: Road) async throws -> Import {
        try await withCheckedThrowingContinuation { continuation in
            road.pipeline.importRecords(from: path) { continuation.resume(with: $0) }
        }
    }

    /// The table of the AWS SDK's recorders.
    private static let legacy = """
        CREATE TABLE record (partition_key TEXT NOT NULL, stream_name TEXT NOT NULL, data BLOB NOT NULL,
            timestamp REAL NOT NULL, retry_count INTEGER NOT NULL);
        INSERT INTO record VALUES ('key-2', 'b', 'second', 1700000002.5, 0);
        INSERT INTO record VALUES ('key-1', 'a', 'first', 1700000001.5, 3);
        INSERT INTO record VALUES ('key-3', 'no such name', 'unfit', 1700000003.5, 0);
        """

    @Test func `records of the AWS SDK's recorders are taken oldest first, with their keys, and the file is renamed`()
        async throws
    {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let road = try Road(to: server)
        let path = try database(road.directory, Self.legacy)
        try await road.save("already here", to: "a")
        let done = try await importing(path, into: road)
        #expect(done.imported == 2 && done.skipped == 1)
        #expect(try road.storedTexts() == ["already here", "first", "second"])
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(FileManager.default.fileExists(atPath: "\(path).imported"))
        #expect(try await road.flush().delivered == 3)
        #expect(
            server.requests.contains { String(decoding: $0.body, as: UTF8.self).contains("\"PartitionKey\":\"key-2\"") }
        )
    }

    @Test func `a file whose records are here already is not taken twice, even if its renaming was cut off`()
        async throws
    {
        let road = try Road()
        let path = try database(road.directory, Self.legacy)
        _ = try await importing(path, into: road)
        try FileManager.default.moveItem(atPath: "\(path).imported", toPath: path)
        #expect(try await importing(path, into: road).imported == 0)
        #expect(try road.records() == 2)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `records of the Amplify clients are taken, with keys for Kinesis and without for Firehose`() async throws
    {
        let kinesis = try Road()
        let records = "id INTEGER PRIMARY KEY AUTOINCREMENT, stream_name TEXT, data BLOB, data_size INTEGER"
        let first = try database(
            kinesis.directory,
            "CREATE TABLE records (\(records), partition_key TEXT, retry_count INTEGER DEFAULT 0, created_at REAL);"
                + "INSERT INTO records (stream_name, data, partition_key) VALUES ('s', 'k', 'key')"
        )
        #expect(try await importing(first, into: kinesis).imported == 1)
        #expect(try kinesis.pipeline.totals().bytes == 1 + 3 + 64)
        let firehose = try Road(.firehose)
        let second = try database(
            firehose.directory,
            "CREATE TABLE records (\(records)); INSERT INTO records (stream_name, data) VALUES ('s', 'f')"
        )
        #expect(try await importing(second, into: firehose).imported == 1)
        #expect(try firehose.pipeline.totals().bytes == 1 + 64)
    }

    @Test func `what is no original's database is refused and left alone`() async throws {
        let road = try Road()
        let path = try database(road.directory, "CREATE TABLE other (x)")
        let error = await #expect(throws: RecorderError.self) { try await importing(path, into: road) }
        #expect(error?.message.contains("no database of the AWS SDK") == true)
        #expect(FileManager.default.fileExists(atPath: path))
        await #expect(throws: RecorderError.self) { try await importing("/nowhere/at/all", into: road) }
    }
}
