import Foundation
import RecorderAWS
import RecorderSQLite

/// A database of one of the originals: table `record` of the AWS SDK's recorders, `records` of the Amplify clients.
final class LegacyDatabase {
    struct Row {
        let record: Record
        let savedAt: Date
    }

    /// Tells this very file from any other that may lie at its path later, for as long as it is not deleted.
    let identity: FileIdentity
    /// What is wrong with this file, where it was this file that ended `read`, and not the store.
    private(set) var trouble: RecorderError?

    private let path: String
    private let connection: SQLiteConnection
    private let rows: SQLiteStatement
    private let service: StreamServiceDescription

    init(_ named: String, for service: StreamServiceDescription) throws(RecorderError) {
        let path = try Self.resolve(named)
        guard let identity = FileIdentity(path) else {
            throw .storage("There is no database to import at \(path): \(String(errorNumber: errno)).", nil)
        }
        self.identity = identity
        self.path = path
        self.service = service
        let opened: (connection: SQLiteConnection, rows: SQLiteStatement?)
        do {
            opened = try Self.open(path)
        } catch {
            throw Self.trouble(error, path)
        }
        guard let rows = opened.rows else {
            throw .storage(
                "\(path) is no database of the AWS SDK's recorders or of an Amplify client: it has neither a table "
                    + "record nor records. Check the path.",
                nil
            )
        }
        connection = opened.connection
        self.rows = rows
    }

    /// The path without links but for the file itself, which SQLite refuses to follow.
    private static func resolve(_ path: String) throws(RecorderError) -> String {
        do throws(ConfigurationFailure) {
            let url = URL(fileURLWithPath: try PrivateDirectory.absolute(path))
            let directory = try PrivateDirectory.resolve(url.deletingLastPathComponent().path)
            return StoreLocation(directory: directory, fileName: url.lastPathComponent).path
        } catch {
            throw .storage("There is no database to import at \(path): \(error.message).", nil)
        }
    }

    private static func open(_ path: String) throws(SQLiteError) -> (SQLiteConnection, SQLiteStatement?) {
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        let tables = try connection.prepare("SELECT name FROM sqlite_schema WHERE name IN ('record', 'records')")
        let table = try tables.step() ? tables.text(at: 0) : nil
        let rows = try query(table, connection).map { (sql) throws(SQLiteError) in try connection.prepare(sql) }
        return (connection, rows)
    }

    /// What to tell of an error of this file. Without the error itself: this file's damage is not the store's.
    private static func trouble(_ error: SQLiteError, _ path: String) -> RecorderError {
        let advice =
            " Nothing of it was imported. Check the path; what a damaged database still holds, the command .recover of "
            + "sqlite3 moves into a new one."
        return .storage(StorageErrorMapping.message(error, path: path) + (error.isCorrupt ? advice : ""), nil)
    }

    /// Whether the file is where it was found.
    var isInPlace: Bool { FileIdentity(path) == identity }

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
        while try nextRow() {
            let key = rows.text(at: 1)
            let data = unsafe Data(rows.bytes(at: 2))
            // What lies ahead of us is no time in seconds.
            let seconds = Double(rows.integer(at: 3))
            let isTime = seconds > 0 && seconds <= now.timeIntervalSince1970
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
            try use(Row(record: record, savedAt: isTime ? Date(timeIntervalSince1970: seconds) : now))
        }
        return skipped
    }

    private func nextRow() throws(SQLiteError) -> Bool {
        do {
            return try rows.step()
        } catch {
            trouble = Self.trouble(error, path)
            throw error
        }
    }

    /// Renames the file, which is spent, for good; false if it cannot be renamed.
    func putAside() -> Bool {
        guard isInPlace else { return false }
        // A log that stayed behind would be taken for that of the next file here.
        try? connection.checkpoint(.truncate)
        var aside = "\(path).imported"
        var number = 1
        var status = stat()
        while unsafe lstat(aside, &status) == 0 {
            number += 1
            aside = "\(path).imported-\(number)"
        }
        guard unsafe rename(path, aside) == 0 else { return false }
        StoreDirectory.makeNameDurable(of: aside)
        return true
    }
}

/// What an import came to.
package struct Import: Sendable, Hashable {
    package var imported = 0
    /// Records whose stream no service can have; they are still in the file, which is renamed to `….imported`.
    package var skipped = 0
}
