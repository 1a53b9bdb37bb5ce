import CRecorderSQLite
import Foundation

/// The SQL of the original recorder's save: rollback journal, `auto_vacuum=FULL`, one table without key or index, one
/// compiled statement and one transaction per record, and the file's size read after each.
///
/// Leaves out its queue, dictionaries and property lists, which would only slow it down.
final class OriginalRecorder {
    private let path: String
    private let database: PlainDatabase
    private let payload = Array(repeating: UInt8(ascii: "x"), count: Payload.bytes)

    /// High enough that nothing is evicted, as in the other measurements.
    private let diskByteLimit = Int.max

    init(path: String) {
        self.path = path
        database = PlainDatabase(path: path)
        database.execute(
            """
            PRAGMA auto_vacuum = FULL;
            CREATE TABLE IF NOT EXISTS record (
                partition_key TEXT NOT NULL,
                stream_name TEXT NOT NULL,
                data BLOB NOT NULL,
                timestamp REAL NOT NULL,
                retry_count INTEGER NOT NULL);
            VACUUM;
            """
        )
    }

    func save(_ count: Int) {
        for _ in 0..<count {
            insert()
            if fileSize() > diskByteLimit { evictOne() }
        }
    }

    private func insert() {
        let insertion = database.prepare(
            """
            INSERT INTO record (partition_key, stream_name, data, timestamp, retry_count)
            VALUES (:partition_key, :stream_name, :data, :timestamp, :retry_count)
            """
        )
        recorder_sqlite3_bind_text(insertion, 1, Payload.key, Int32(Payload.key.utf8.count))
        recorder_sqlite3_bind_text(insertion, 2, Payload.stream, Int32(Payload.stream.utf8.count))
        payload.withUnsafeBytes { payload in
            recorder_sqlite3_bind_blob(insertion, 3, payload.baseAddress, Int32(payload.count))
            sqlite3_bind_double(insertion, 4, Date().timeIntervalSince1970)
            sqlite3_bind_int64(insertion, 5, 0)
            database.run(insertion)
        }
        sqlite3_finalize(insertion)
    }

    private func evictOne() {
        database.execute(
            "DELETE FROM record WHERE rowid IN (SELECT rowid FROM record ORDER BY timestamp ASC LIMIT 1)"
        )
    }

    private func fileSize() -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { fatalError("The baseline's file \(path) no longer exists.") }
        return Int(status.st_size)
    }
}
