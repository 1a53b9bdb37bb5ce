import CRecorderSQLite

/// SQLite alone: equal rows, of 1 KB unless stated otherwise, into one table, in a write-ahead log with `synchronous=FULL` and 4
/// KiB pages.
///
/// One prepared statement, a constant key, no counts, no limits, and SQLite's own checkpoints.
final class PlainLog {
    private let database: PlainDatabase
    private let insertion: OpaquePointer
    private let payload: [UInt8]
    private let key = Array(Payload.key.utf8)

    init(path: String, bytes: Int = Payload.bytes) {
        payload = Array(repeating: UInt8(ascii: "x"), count: bytes)
        database = PlainDatabase(path: path)
        database.execute(
            """
            PRAGMA page_size = 4096;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            CREATE TABLE record (id INTEGER PRIMARY KEY, partition_key TEXT NOT NULL, data BLOB NOT NULL);
            """
        )
        insertion = database.prepare("INSERT INTO record (partition_key, data) VALUES (?1, ?2)")
    }

    deinit {
        sqlite3_finalize(insertion)
    }

    /// Inserts `count` rows, each in a commit of its own.
    func insertOneByOne(_ count: Int) {
        for _ in 0..<count { insert() }
    }

    /// Inserts `count` rows, `size` of them in each commit.
    func insert(_ count: Int, perCommit size: Int) {
        var left = count
        while left > 0 {
            database.execute("BEGIN IMMEDIATE")
            for _ in 0..<min(size, left) { insert() }
            database.execute("COMMIT")
            left -= size
        }
    }

    private func insert() {
        key.withUnsafeBytes { key in
            payload.withUnsafeBytes { payload in
                let text = key.bindMemory(to: CChar.self).baseAddress
                recorder_sqlite3_bind_text(insertion, 1, text, Int32(key.count))
                recorder_sqlite3_bind_blob(insertion, 2, payload.baseAddress, Int32(payload.count))
                database.run(insertion)
            }
        }
    }
}
