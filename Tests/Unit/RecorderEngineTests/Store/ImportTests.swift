import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct ImportTests {
    private func database(_ directory: TemporaryDirectory, _ sql: String) throws -> String {
        let path = directory.path("original")
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        try connection.execute(sql)
        return path
    }

    private func importing(_ path: String, into harness: PipelineHarness) async throws -> Import {
        try await withCheckedThrowingContinuation { continuation in
            harness.pipeline.importRecords(from: path) { continuation.resume(with: $0) }
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

    @Test func `records of the AWS SDK's recorders are imported oldest first with their keys, and the file is renamed`()
        async throws
    {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        let path = try database(harness.directory, Self.legacy)
        try await harness.save("already here", to: "a")
        let done = try await importing(path, into: harness)
        #expect(done.imported == 2 && done.skipped == 1)
        #expect(try harness.storedTexts() == ["already here", "first", "second"])
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(FileManager.default.fileExists(atPath: "\(path).imported"))
        #expect(try await harness.flush().delivered == 3)
        #expect(
            server.requests.contains { String(decoding: $0.body, as: UTF8.self).contains("\"PartitionKey\":\"key-2\"") }
        )
    }

    @Test func `a file is not imported twice, even if its renaming failed`()
        async throws
    {
        let harness = try PipelineHarness()
        // With the suffix the name is one character too long, so the renaming fails.
        let path = harness.directory.path(String(repeating: "x", count: 255 - ".imported".count + 1))
        try FileManager.default.moveItem(atPath: try database(harness.directory, Self.legacy), toPath: path)
        #expect(try await importing(path, into: harness).imported == 2)
        #expect(FileManager.default.fileExists(atPath: path))
        let shorter = harness.directory.path("shorter")
        try FileManager.default.moveItem(atPath: path, toPath: shorter)
        #expect(try await importing(shorter, into: harness).imported == 0)
        #expect(try harness.records() == 2)
        #expect(!FileManager.default.fileExists(atPath: shorter))
    }

    @Test func `a database that has the inode of one whose import was noted, and that is gone, is imported`()
        async throws
    {
        let harness = try PipelineHarness()
        try await harness.save("already here", to: "a")
        let path = try database(harness.directory, Self.legacy)
        var status = stat()
        #expect(unsafe stat(path, &status) == 0)
        let inode = "\(status.st_dev):\(status.st_ino)"
        let store = try SQLiteConnection(path: harness.path, access: .readWrite)
        try store.execute("INSERT INTO imported (file) VALUES ('\(inode)'), ('\(inode):1')")
        #expect(try await importing(path, into: harness).imported == 2)
    }

    @Test func `another database at the same path is imported, and no imported file is overwritten`()
        async throws
    {
        let harness = try PipelineHarness()
        let path = try database(harness.directory, Self.legacy)
        _ = try await importing(path, into: harness)
        // The same inode, as when a new file gets the number of a deleted one.
        try FileManager.default.moveItem(atPath: "\(path).imported", toPath: path)
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        try connection.execute("DELETE FROM record; INSERT INTO record VALUES ('key', 'c', 'new', 1700000009, 0)")
        try Data("older".utf8).write(to: URL(fileURLWithPath: "\(path).imported"))
        #expect(try await importing(path, into: harness).imported == 1)
        #expect(try harness.storedTexts() == ["first", "second", "new"])
        #expect(try String(contentsOfFile: "\(path).imported", encoding: .utf8) == "older")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(FileManager.default.fileExists(atPath: "\(path).imported-2"))
    }

    @Test func `records of the Amplify clients are imported, with keys for Kinesis and without for Firehose`()
        async throws
    {
        let kinesis = try PipelineHarness()
        let records = "id INTEGER PRIMARY KEY AUTOINCREMENT, stream_name TEXT, data BLOB, data_size INTEGER"
        let first = try database(
            kinesis.directory,
            "CREATE TABLE records (\(records), partition_key TEXT, retry_count INTEGER DEFAULT 0, created_at REAL);"
                + "INSERT INTO records (stream_name, data, partition_key) VALUES ('s', 'k', 'key')"
        )
        #expect(try await importing(first, into: kinesis).imported == 1)
        #expect(try kinesis.pipeline.totals().bytes == 1 + 3 + 64)
        let firehose = try PipelineHarness(.firehose)
        let second = try database(
            firehose.directory,
            "CREATE TABLE records (\(records)); INSERT INTO records (stream_name, data) VALUES ('s', 'f')"
        )
        #expect(try await importing(second, into: firehose).imported == 1)
        #expect(try firehose.pipeline.totals().bytes == 1 + 64)
    }

    @Test func `a database of another program is refused and left unchanged`() async throws {
        let harness = try PipelineHarness()
        let path = try database(harness.directory, "CREATE TABLE other (x)")
        let error = await #expect(throws: RecorderError.self) { try await importing(path, into: harness) }
        #expect(error?.message.contains("no database of the AWS SDK") == true)
        #expect(FileManager.default.fileExists(atPath: path))
        await #expect(throws: RecorderError.self) { try await importing("/nowhere/at/all", into: harness) }
    }
}

extension ImportTests {
    /// A database that is damaged in the middle.
    private func damagedDatabase(_ directory: TemporaryDirectory) throws -> String {
        let path = try database(
            directory,
            "CREATE TABLE records (id INTEGER PRIMARY KEY, stream_name TEXT, partition_key TEXT, data BLOB);"
                + "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 400) "
                + "INSERT INTO records SELECT n, 's', 'key', zeroblob(1000) FROM number"
        )
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: 50 * 4_096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 8 * 4_096))
        return path
    }

    @Test(arguments: [true, false])
    func `a file that is damaged, or not a database, is refused by name, and the store is unchanged`(
        isDamaged: Bool
    ) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        let path = try isDamaged ? damagedDatabase(harness.directory) : harness.directory.path("notes.txt")
        if !isDamaged { try Data(repeating: 0x20, count: 4_096).write(to: URL(fileURLWithPath: path)) }
        try await harness.save("delivered")
        _ = try await harness.flush()
        try await harness.save("ours")
        let error = await #expect(throws: RecorderError.self) { try await importing(path, into: harness) }
        #expect(error?.message.hasPrefix(path) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(isDamaged ? ".recover" : "Check the path") == true)
        #expect(harness.events.rescues.isEmpty)
        #expect(try harness.storedTexts() == ["ours"])
        #expect(try harness.pipeline.totals().delivered == 1)
        #expect(FileManager.default.fileExists(atPath: path))
        try await harness.save("later")
        #expect(try await harness.flush().delivered == 2)
    }

    @Test func `a damaged store is rescued during an import, and the import succeeds`() async throws {
        let first = try PipelineHarness()
        try await first.save("ours")
        do {
            let connection = try SQLiteConnection(path: first.path, access: .readWrite)
            try connection.execute("ALTER TABLE segment RENAME first_bytes TO first_bytez")
        }
        let harness = try PipelineHarness(in: first.directory)
        let path = try database(harness.directory, Self.legacy)
        #expect(try await importing(path, into: harness).imported == 2)
        #expect(harness.events.rescues.map(\.rescued) == [1])
        #expect(try harness.storedTexts() == ["ours", "first", "second"])
    }

    @Test func `a file whose renaming failed is not imported again after a rescue`() async throws {
        let first = try PipelineHarness()
        // With the suffix the name is one character too long.
        let path = first.directory.path(String(repeating: "x", count: 255 - ".imported".count + 1))
        try FileManager.default.moveItem(atPath: try database(first.directory, Self.legacy), toPath: path)
        #expect(try await importing(path, into: first).imported == 2)
        do {
            let connection = try SQLiteConnection(path: first.path, access: .readWrite)
            try connection.execute("ALTER TABLE segment RENAME first_bytes TO first_bytez")
        }
        let harness = try PipelineHarness(in: first.directory)
        try await harness.save("ours")
        #expect(harness.events.rescues.map(\.rescued) == [2])
        #expect(try await importing(path, into: harness).imported == 0)
        #expect(try harness.records() == 3)
    }

    @Test func `a partition key is imported completely, whatever characters it has`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        let path = try database(
            harness.directory,
            """
            CREATE TABLE record (partition_key TEXT, stream_name TEXT, data BLOB, timestamp REAL);
            INSERT INTO record VALUES (CAST(x'610062' AS TEXT), 's', 'text', 1700000002);
            """
        )
        #expect(try await importing(path, into: harness).imported == 1)
        #expect(try harness.pipeline.totals().bytes == 4 + 3 + 64)
        _ = try await harness.flush()
        let body = server.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        #expect(body.contains(#""PartitionKey":"a\u0000b""#))
    }

    @Test func `an impossible time is imported as now`() async throws {
        let harness = try PipelineHarness()
        let path = try database(
            harness.directory,
            """
            CREATE TABLE record (partition_key TEXT, stream_name TEXT, data BLOB, timestamp);
            INSERT INTO record VALUES ('key', 'nanoseconds', 'a', 1.7e18);
            INSERT INTO record VALUES ('key', 'largest', 'b', 9223372036854775807);
            INSERT INTO record VALUES ('key', 'infinite', 'c', 9e999);
            INSERT INTO record VALUES ('key', 'below', 'd', -9e999);
            INSERT INTO record VALUES ('key', 'none', 'e', NULL);
            INSERT INTO record VALUES ('key', 'word', 'f', 'yesterday');
            INSERT INTO record VALUES ('key', 'year-2001', 'g', 1000000000);
            """
        )
        #expect(try await importing(path, into: harness).imported == 7)
        for stream in try harness.pipeline.status().streams {
            let isOld = stream.name.rawValue == "year-2001"
            #expect(
                stream.oldest == (isOld ? Date(timeIntervalSince1970: 1_000_000_000) : harness.clock.now),
                "\(stream)"
            )
        }
    }

    @Test func `a database with a log is moved aside with all its contents, and leaves no log behind`() async throws {
        let harness = try PipelineHarness()
        let path = harness.directory.path("original")
        do {
            // As a killed process leaves them.
            let open = try SQLiteConnection(path: harness.directory.path("open"), access: .readWrite)
            try open.execute("PRAGMA journal_mode = WAL; \(Self.legacy)")
            try withExtendedLifetime(open) {
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(
                        atPath: harness.directory.path("open\(suffix)"),
                        toPath: "\(path)\(suffix)"
                    )
                }
            }
        }
        #expect(try await importing(path, into: harness).imported == 2)
        let size = try? FileManager.default.attributesOfItem(atPath: "\(path)-wal")[.size] as? Int
        #expect((size ?? 0) == 0)
        let imported = try SQLiteConnection(path: "\(path).imported", access: .readWrite)
        #expect(try imported.integer("SELECT count(*) FROM record") == 3)
    }
}
