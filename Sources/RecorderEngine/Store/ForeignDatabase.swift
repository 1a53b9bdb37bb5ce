import Foundation
import RecorderSQLite

/// A database of one of the originals: table `record` of the AWS SDK's recorders, `records` of the Amplify clients.
final class ForeignDatabase {
    struct Row {
        let record: Record
        let savedAt: Date
    }

    /// Tells this very file from any other that may lie at its path later.
    let identity: String

    private let path: String
    private let connection: SQLiteConnection
    private let rows: SQLiteStatement
    private let service: StreamService

    init(_ path: String, for service: StreamService) throws(RecorderError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw .storage("There is no database to import at \(path): \(String(errorNumber: errno)).", nil)
        }
        identity = "\(status.st_dev):\(status.st_ino)"
        self.path = path
        self.service = service
        let opened = try StoreTrouble.naming(path) { () throws(SQLiteError) in
            let connection = try SQLiteConnection(path: path, access: .readWrite)
            let tables = try connection.prepare("SELECT name FROM sqlite_schema WHERE name IN ('record', 'records')")
            let table = try tables.step() ? tables.text(at: 0) : nil
            return (
                connection, table,
                try Self.query(table, connection).map { (sql) throws(SQLiteError) in
                    try connection.prepare(sql)
                }
            )
        }
        guard let rows = opened.2 else {
            throw .storage(
                "\(path) is no database of the AWS SDK's recorders or of an Amplify client: it has neither a table "
                    + "record nor records. Check the path.",
                nil
            )
        }
        connection = opened.0
        self.rows = rows
    }

    /// Columns: stream, key, data, seconds since 1970 (null for now).
    private static func query(_ table: String?, _ connection: SQLiteConnection) throws(SQLiteError) -> String? {
        switch table {
        case "record":
            return "SELECT stream_name, partition_key, data, timestamp FROM record ORDER BY timestamp, rowid"
        case "records":
            // Amplify's Firehose client has no keys, and its `created_at` is the time when the table was made.
            let hasKeys = try connection.integer(
                "SELECT count(*) FROM pragma_table_info('records') WHERE name = 'partition_key'"
            )
            return "SELECT stream_name, \(hasKeys == 1 ? "partition_key" : "''"), data, NULL FROM records ORDER BY id"
        default: return nil
        }
    }

    /// Hands over every record that the service can take; returns how many it cannot, for their stream's name.
    func read(now: Date, _ use: (Row) throws(SQLiteError) -> Void) throws(SQLiteError) -> Int {
        var skipped = 0
        while try rows.step() {
            let key = rows.text(at: 1)
            let data = unsafe Data(rows.bytes(at: 2))
            let seconds = rows.integer(at: 3)
            guard
                let record = try? service.record(
                    data,
                    stream: rows.text(at: 0),
                    partitionKey: key.isEmpty ? nil : key,
                    maximumBytes: .max
                )
            else {
                skipped += 1
                continue
            }
            try use(Row(record: record, savedAt: seconds > 0 ? Date(timeIntervalSince1970: Double(seconds)) : now))
        }
        return skipped
    }

    /// Renames the file, which is spent.
    func putAside() {
        _ = unsafe rename(path, "\(path).imported")
    }
}

/// What an import came to.
package struct Import: Sendable, Hashable {
    package var imported = 0
    /// Records whose stream no service can have; they are still in the file, which is renamed to `….imported`.
    package var skipped = 0
}
