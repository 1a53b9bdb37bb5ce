package import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderSQLite

/// A database of an original library: table `record` of the AWS SDK's recorders, `records` of the Amplify clients.
package final class LegacyDatabase {
    /// A database to import.
    package struct Source: Sendable {
        /// Makes a record of a stream's name, a partition key ("" for none) and data; nil if no service accepts it.
        package typealias RecordFactory = @Sendable (_ stream: String, _ partitionKey: String, _ data: Data) -> Record?

        let path: String
        let makeRecord: RecordFactory

        package init(path: String, makeRecord: @escaping RecordFactory) {
            self.path = path
            self.makeRecord = makeRecord
        }
    }

    struct Row {
        let record: Record
        let savedAt: Date
    }

    /// Identifies this file, as long as it exists.
    private let fileID: FileIdentity
    /// Tells it from another file that has its inode later.
    let name: String
    /// Why this file could not be read, if that ended `read`.
    private(set) var lastError: RecorderError?

    private let path: String
    private let connection: SQLiteConnection
    private let rows: SQLiteStatement
    private let makeRecord: Source.RecordFactory

    init(_ source: Source) throws(RecorderError) {
        let path = try Self.resolve(source.path)
        guard let fileID = FileIdentity(path) else {
            throw .storage("There is no database to import at \(path): \(String(errorNumber: errno)).", nil)
        }
        self.path = path
        makeRecord = source.makeRecord
        do throws(SQLiteError) {
            connection = try SQLiteConnection(path: path, access: .readWrite)
            // An overlay copies a file when it is opened.
            let opened = connection.likelyDescriptor.flatMap { FileIdentity(descriptor: $0) }
            self.fileID = opened.flatMap { $0 == FileIdentity(path) ? $0 : nil } ?? fileID
            let birth = FilePlace.birth(of: path)
            name = birth == 0 ? "\(self.fileID)" : "\(self.fileID.inode):\(birth)"
            guard let sql = try Self.query(connection) else { throw SQLiteError.aborted(action: "importing") }
            rows = try connection.prepare(sql)
        } catch {
            guard error.isAborted else { throw Self.failure(error, path: path) }
            throw .storage(
                "\(path) is no database of the AWS SDK's recorders or of an Amplify client: it has neither a table "
                    + "record nor records. Check the path.",
                nil
            )
        }
    }

    /// The path without links in its directory. SQLite refuses to open a link.
    private static func resolve(_ path: String) throws(RecorderError) -> String {
        do throws(ConfigurationFailure) {
            let url = URL(fileURLWithPath: try PrivateDirectory.absolute(path))
            let directory = try PrivateDirectory.resolve(url.deletingLastPathComponent().path)
            return StoreLocation(directory: directory, fileName: url.lastPathComponent).path
        } catch {
            throw .storage("There is no database to import at \(path): \(error.message).", nil)
        }
    }

    /// The error for this file. It has no SQLite error: damage of this file is not damage of the store.
    private static func failure(_ error: SQLiteError, path: String) -> RecorderError {
        let advice =
            " Nothing of it was imported. Check the path. To recover a damaged database into a new one, use the command "
            + ".recover of sqlite3."
        return .storage(StorageErrorMapping.message(error, path: path) + (error.isCorrupt ? advice : ""), nil)
    }

    /// Whether the file is still at its path.
    var isInPlace: Bool { FileIdentity(path) == fileID }

    /// The query of stream, key, data and seconds since 1970 (NULL for now); nil if the file has neither table.
    private static func query(_ connection: SQLiteConnection) throws(SQLiteError) -> String? {
        let tables = try connection.prepare("SELECT name FROM sqlite_schema WHERE name IN ('record', 'records')")
        guard try tables.step() else { return nil }
        if tables.text(at: 0) == "record" {
            return "SELECT stream_name, partition_key, data, timestamp FROM record ORDER BY timestamp, rowid"
        }
        // Amplify's Firehose client has no keys, and its `created_at` is the time when the table was created.
        let hasKeys = try connection.integer(
            "SELECT count(*) FROM pragma_table_info('records') WHERE name = 'partition_key'"
        )
        return "SELECT stream_name, \(hasKeys == 1 ? "partition_key" : "''"), data, NULL FROM records ORDER BY id"
    }

    /// Passes every record that the service accepts to `use`; returns how many it does not, because of their stream's name.
    func read(now: Date, use: (Row) throws(SQLiteError) -> Void) throws(SQLiteError) -> Int {
        var skipped = 0
        rows.reset()
        while try nextRow() {
            // Times in the future are not in seconds.
            let seconds = Double(rows.integer(at: 3))
            let isTime = seconds > 0 && seconds <= now.timeIntervalSince1970
            let data = unsafe Data(rows.bytes(at: 2))
            guard let record = makeRecord(rows.text(at: 0), rows.text(at: 1), data) else {
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
            lastError = Self.failure(error, path: path)
            throw .aborted(action: "importing")
        }
    }

    /// Renames the imported file; false if it cannot be renamed.
    func rename() -> Bool {
        guard isInPlace else { return false }
        // Otherwise the log would be used for the next file at this path.
        try? connection.checkpoint(.truncate)
        var newPath = "\(path).imported"
        var number = 1
        var status = stat()
        while unsafe lstat(newPath, &status) == 0 {
            number += 1
            newPath = "\(path).imported-\(number)"
        }
        guard unsafe Glibc.rename(path, newPath) == 0 else { return false }
        StoreDirectory.makeNameDurable(of: newPath)
        return true
    }
}
