import Foundation
import RecorderSQLite

/// What can be read of a damaged database. Its errors are ignored: reading ends where the damage begins.
final class DamagedStore {
    struct Row {
        let id: RecordID
        let savedAt: Int64
        let failures: Int64
        let checksum: Int64
        let partitionKey: String
        let data: Data

        fileprivate init(_ id: RecordID, row: SQLiteStatement) {
            self.id = id
            savedAt = row.integer(at: 1)
            failures = row.integer(at: 2)
            checksum = row.integer(at: 3)
            partitionKey = row.text(at: 4)
            data = unsafe Data(row.bytes(at: 5))
        }
    }

    struct Stream {
        let number: Int64
        let name: String
        let cursor: Int64
    }

    let streams: [Stream]
    let countedRecords: Int?
    /// The clock that the records' times refer to.
    let clock: StoreClock.Reference?
    private let connection: SQLiteConnection?

    init(_ path: String) {
        let connection = try? SQLiteConnection(path: path, access: .damaged)
        self.connection = connection
        streams = Self.streams(connection)
        // The rest of a truncated row reads as zeroes: a value in a later column shows that the count is complete.
        let counts = Self.rows("SELECT records FROM stream WHERE number = 0 AND saved_bytes > 0", in: connection) {
            Int($0.integer(at: 0))
        }
        clock = connection.flatMap { try? StoreClock.Reference.read($0) }
        countedRecords = counts.first.flatMap { RecordID.sequences.contains(Int64($0)) ? $0 : nil }
    }

    /// The names are in an index too. If only that can be read, or a row is implausible, it is unknown what was delivered: all
    /// rows of the stream count as live, and some may be sent again.
    private static func streams(_ connection: SQLiteConnection?) -> [Stream] {
        let complete = rows("SELECT number, name, cursor FROM stream WHERE number > 0", in: connection) {
            Stream(number: $0.integer(at: 0), name: $0.text(at: 1), cursor: $0.integer(at: 2))
        }
        let named = rows(
            "SELECT number, name FROM stream INDEXED BY sqlite_autoindex_stream_1 WHERE name > '' AND number > 0",
            in: connection
        ) {
            Stream(number: $0.integer(at: 0), name: $0.text(at: 1), cursor: 0)
        }
        let next = rows("SELECT next_sequence FROM stream WHERE number = 0 AND next_sequence > 0", in: connection) {
            $0.integer(at: 0)
        }
        // A cursor after all sequences would leave nothing of its stream.
        let cursors = 0...max(min(next.first ?? .max, RecordID.sequences.upperBound + 1) - 1, 0)
        var numbers: Set<Int64> = []
        var names: Set<String> = []
        // A damaged row may be a stream that never existed, or a duplicate.
        return (complete + named).filter { stream in
            RecordID.streams.contains(stream.number) && cursors.contains(stream.cursor)
                && !stream.name.isEmpty && stream.name.utf8.allSatisfy(StreamName.isNameCharacter)
                && !numbers.contains(stream.number) && names.insert(stream.name).inserted
                && numbers.insert(stream.number).inserted
        }
    }

    /// Passes the live records of each segment to `insert`, from its start up to the damage, then from its end back to it.
    func readRecords(insert: (Row) throws(SQLiteError) -> Bool) throws(SQLiteError) {
        let cursors = Dictionary(streams.map { ($0.number, $0.cursor) }) { first, _ in first }
        // From both lists, because damage can have removed a name from either.
        let named = Self.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'record_[0-9]*'", in: connection) {
            Int64($0.text(at: 0).dropFirst("record_".count))
        }
        let listed = Self.rows("SELECT first_sequence FROM segment", in: connection) { $0.integer(at: 0) }
        for name in Set(named.compactMap(\.self) + listed).sorted().map(Segment.table) {
            for order in ["ASC", "DESC"] {
                guard let rows = records(of: name, order: order) else { continue }
                while (try? rows.step()) == true {
                    let id = RecordID(rawValue: rows.integer(at: 0))
                    guard let cursor = cursors[id.stream], cursor < id.sequence, Self.isUnaltered(rows, id: id)
                    else { continue }
                    // A record that was inserted before was read from the other end, and so was everything beyond it.
                    guard try insert(Row(id, row: rows)) else { break }
                }
            }
        }
    }

    private func records(of table: String, order: String) -> SQLiteStatement? {
        // If a column's name is damaged, the columns are still in order, and the checksums show if they are not.
        for columns in ["id, saved_at, failures, sum, partition_key, data", "*"] {
            let sql = "SELECT \(columns) FROM \(table) ORDER BY rowid \(order)"
            if let rows = try? connection?.prepare(sql) { return rows }
        }
        return nil
    }

    private static func isUnaltered(_ row: SQLiteStatement, id: RecordID) -> Bool {
        let checksum = unsafe RecordChecksum.of(id, key: row.bytes(at: 4), data: row.bytes(at: 5))
        return !row.isNull(at: 3) && row.integer(at: 3) == checksum
    }

    /// Moves the log's content into the damaged file, as far as possible.
    func emptyLog() {
        try? connection?.checkpoint(.truncate)
    }

    private static func rows<T>(
        _ sql: String,
        in connection: SQLiteConnection?,
        read: (SQLiteStatement) -> T
    ) -> [T] {
        guard let rows = try? connection?.prepare(sql) else { return [] }
        var all: [T] = []
        while (try? rows.step()) == true { all.append(read(rows)) }
        return all
    }
}
