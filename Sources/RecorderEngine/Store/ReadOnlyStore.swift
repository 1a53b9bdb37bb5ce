import RecorderAWS
import RecorderSQLite

/// A store's file that is only read: no table is created or upgraded, no log is moved into the file, and no lock is taken, so
/// that other processes go on saving and submitting.
///
/// SQLite may add empty log files beside it. Not Sendable.
final class ReadOnlyStore {
    /// Without links.
    let path: String
    let connection: SQLiteConnection
    /// The format of the file; nil if it has no tables yet.
    let format: Int64?

    /// Opens a file that exists. Throws for one of a format that this version cannot read without upgrading it.
    init(at location: StoreLocation) throws(RecorderError) {
        path = try StoreDirectory.resolve(location).path
        try StoreFiles.check(path)
        connection = try StorageErrorMapping.translating(
            path: path,
            try SQLiteConnection(path: path, access: .readOnly)
        )
        format = try StoreSchema.readableFormat(of: connection, path: path)
    }

    /// Runs an expression in one read transaction, so that everything it reads is of one instant.
    func perform<T>(_ body: @autoclosure () throws(SQLiteError) -> T) throws(RecorderError) -> T {
        try StorageErrorMapping.translating(
            path: path,
            try connection.readTransaction(running: try body())
        )
    }

    /// The streams, by number.
    func streams() throws(SQLiteError) -> [(summary: StreamSummary, cursor: RecordID)] {
        guard format != nil else { return [] }
        let rows = try connection.prepare(
            "SELECT number, name, records, bytes, cursor FROM stream WHERE number > 0 ORDER BY number"
        )
        var found: [(StreamSummary, RecordID)] = []
        while try rows.step() {
            guard let name = StreamName(stored: rows.text(at: 1)) else {
                throw .invalidStream
            }
            let number = rows.integer(at: 0)
            let summary = StreamSummary(
                number: number,
                name: name,
                records: try rows.count(at: 2),
                bytes: StoreTotals.streamBytes(rows.integer(at: 3))
            )
            found.append((summary, try RecordID(cursor: rows.integer(at: 4), of: number)))
        }
        return found
    }

    /// All segments, oldest first.
    func segments() throws(SQLiteError) -> [Segment] {
        let rows = try connection.prepare(StoreSegments.query)
        var all: [Segment] = []
        while try rows.step() { all.append(try Segment(rows)) }
        return all
    }
}

extension RejectedRecords {
    /// Reads the copies in a file that exists; nil selects all streams.
    package init(at location: StoreLocation, of selection: StreamSelection? = nil) throws(RecorderError) {
        let store = try ReadOnlyStore(at: location)
        self = try store.perform(try RejectedRecords(store.connection, of: selection))
    }
}

@available(*, unavailable)
extension ReadOnlyStore: Sendable {}
