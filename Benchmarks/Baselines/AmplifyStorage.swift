import CRecorderSQLite

/// The SQL of Amplify's record cache, rewritten from its behaviour: SQLite's defaults (rollback journal, synchronous),
/// two indexes, one insert per save, a window function over the whole table for each page, a sum of all sizes after
/// each delete.
///
/// An actor, like the original, but without its query builder, which would only slow it down.
actor AmplifyStorage {
    /// The most records and bytes of a page.
    private static let page = (records: 500, bytes: 10 << 20)

    private let database: PlainDatabase
    private let payload = Array(repeating: UInt8(ascii: "x"), count: Payload.bytes)
    private var storedBytes: Int64 = 0

    init(path: String) {
        database = PlainDatabase(path: path)
        database.execute(
            """
            CREATE TABLE records (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                stream_name TEXT NOT NULL,
                partition_key TEXT NOT NULL,
                data BLOB NOT NULL,
                data_size INTEGER NOT NULL,
                retry_count INTEGER NOT NULL DEFAULT 0,
                created_at REAL NOT NULL DEFAULT 0);
            CREATE INDEX records_by_stream ON records (stream_name, id);
            CREATE INDEX records_by_size ON records (data_size);
            """
        )
    }

    /// Saves a record, durably.
    func save() {
        let insertion = database.prepare(
            "INSERT INTO records (stream_name, partition_key, data, data_size) VALUES (?1, ?2, ?3, ?4)"
        )
        recorder_sqlite3_bind_text(insertion, 1, Payload.stream, Int32(Payload.stream.utf8.count))
        recorder_sqlite3_bind_text(insertion, 2, Payload.key, Int32(Payload.key.utf8.count))
        payload.withUnsafeBytes { payload in
            recorder_sqlite3_bind_blob(insertion, 3, payload.baseAddress, Int32(payload.count))
            sqlite3_bind_int64(insertion, 4, Int64(payload.count + Payload.key.utf8.count))
            database.run(insertion)
        }
        sqlite3_finalize(insertion)
        storedBytes += Int64(Payload.bytes + Payload.key.utf8.count)
    }

    /// Extends the backlog in a single commit, outside the measured part.
    func fill(_ count: Int) {
        database.execute("BEGIN")
        for _ in 0..<count { save() }
        database.execute("COMMIT")
    }

    /// Reads a page and deletes it, as after an answer that accepted all of it.
    /// - Returns: the number of records in the page.
    func takePage() -> Int {
        let page = readPage()
        let list = page.map { String($0.id) }.joined(separator: ",")
        database.execute("DELETE FROM records WHERE id IN (\(list))")
        storedBytes = sumOfSizes()
        return page.count
    }

    private func readPage() -> [(id: Int64, data: [UInt8])] {
        let query = database.prepare(
            """
            SELECT id, stream_name, partition_key, data, retry_count FROM (
                SELECT *,
                    ROW_NUMBER() OVER (PARTITION BY stream_name ORDER BY id) AS position,
                    SUM(data_size) OVER (PARTITION BY stream_name ORDER BY id) AS running_size
                FROM records)
            WHERE position <= \(Self.page.records) AND running_size <= \(Self.page.bytes)
            ORDER BY stream_name, id
            """
        )
        defer { sqlite3_finalize(query) }
        var page: [(Int64, [UInt8])] = []
        while sqlite3_step(query) == SQLITE_ROW {
            let data = UnsafeRawBufferPointer(
                start: sqlite3_column_blob(query, 3),
                count: Int(sqlite3_column_bytes(query, 3))
            )
            page.append((sqlite3_column_int64(query, 0), Array(data)))
        }
        return page
    }

    private func sumOfSizes() -> Int64 {
        let query = database.prepare("SELECT SUM(data_size) FROM records")
        defer { sqlite3_finalize(query) }
        return sqlite3_step(query) == SQLITE_ROW ? sqlite3_column_int64(query, 0) : 0
    }
}
