import FoundationEssentials
import RecorderSQLite

/// What can be read of a damaged database. Its errors are ignored: reading ends where the damage begins.
final class DamagedStore {
    struct Row {
        let id: RecordID
        let savedAt: Int64
        let failures: Int64
        let partitionKey: String
        let data: Data

        /// Its checksum in a row of its own.
        var checksum: Int64 {
            var key = partitionKey
            return key.withUTF8 { key in
                unsafe data.withUnsafeBytes { unsafe RecordChecksum.of(id, key: UnsafeRawBufferPointer(key), data: $0) }
            }
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
    let filePositions: FilePositions
    let rejected: [RejectedRecord]
    private let connection: SQLiteConnection?
    /// Whether its records have no checksums.
    private let isFormat1: Bool
    /// The statement that finds a row by its id, for the table that was read last.
    private var finder: (table: String, statement: SQLiteStatement)?

    init(_ path: String) {
        let connection = try? SQLiteConnection(path: path, access: .damaged)
        self.connection = connection
        isFormat1 = Self.rows("PRAGMA user_version", in: connection) { $0.integer(at: 0) } == [1]
        streams = Self.streams(connection)
        filePositions = FilePositions(damaged: connection)
        rejected = RejectedRecords(damaged: connection).records
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
                && StreamName(stored: stream.name) != nil
                && !numbers.contains(stream.number) && names.insert(stream.name).inserted
                && numbers.insert(stream.number).inserted
        }
    }

    /// Passes the live records of each table to `insert`; of a damaged block those whose bytes are unaltered.
    func readRecords(insert: (Row) throws(SQLiteError) -> Void) throws(SQLiteError) {
        let cursors = Dictionary(streams.map { ($0.number, $0.cursor) }) { first, _ in first }
        for id in Self.ids(of: KeptRecords.table, in: connection) where cursors[id.stream] != nil {
            if let row = row(of: KeptRecords.table, id) { try insert(row) }
        }
        for segment in segments {
            for id in Self.ids(of: segment.table, in: connection) {
                guard let cursor = cursors[id.stream], cursor < id.sequence else { continue }
                for row in rows(of: segment, id) where cursor < row.id.sequence { try insert(row) }
            }
        }
    }

    /// All segments whose tables may exist: of the list and of the schema, because damage can have removed a name from either.
    private var segments: [Segment] {
        let named = Self.rows("SELECT name FROM sqlite_schema WHERE \(Segment.isTable)", in: connection) {
            $0.text(at: 0)
        }
        // Formats 1 and 2 have no key sources.
        let listed =
            ["key_source", "0"].lazy.map { [connection] keySource in
                Self.rows("SELECT first_sequence, \(keySource) FROM segment", in: connection) {
                    Segment(
                        first: $0.integer(at: 0),
                        firstBytes: 0,
                        removed: 0,
                        keySource: KeySource(stored: $0.integer(at: 1))
                    )
                }
            }.first { !$0.isEmpty } ?? []
        let tables = Set(listed.map(\.table))
        let unlisted = named.filter { !tables.contains($0) }.compactMap { name in
            let parts = name.split(separator: "_", maxSplits: 1)
            return Int64(parts.last ?? "").map {
                Segment(first: $0, firstBytes: 0, removed: 0, keySource: parts[0] == "block" ? .random() : nil)
            }
        }
        return (listed + unlisted).sorted { $0.first < $1.first }
    }

    /// The ids of a table's rows: from its start up to damage, then from its end back to it.
    private static func ids(of table: String, in connection: SQLiteConnection?) -> [RecordID] {
        let rows = "SELECT rowid FROM \(table) ORDER BY rowid"
        var ids = Self.rows(rows, in: connection) { RecordID(rawValue: $0.integer(at: 0)) }
        let last = ids.last?.rawValue ?? .min
        ids += Self.rows("\(rows) DESC", in: connection, while: { $0.integer(at: 0) > last }) {
            RecordID(rawValue: $0.integer(at: 0))
        }.reversed()
        return ids
    }

    private func rows(of segment: Segment, _ id: RecordID) -> [Row] {
        guard let source = segment.keySource else { return row(of: segment.table, id).map { [$0] } ?? [] }
        guard
            let row = find(id, in: segment.table, columns: "id, saved_at, span, number, head, data", or: "*"),
            var block = try? BlockRecords(of: id, source: source, row: row, from: 2)
        else { return [] }
        var rows: [Row] = []
        while let record = (try? block.next()) ?? nil {
            guard record.isUnaltered else { continue }
            let key = unsafe block.withKey(of: record) { unsafe String(decoding: $0, as: UTF8.self) }
            let data = unsafe Data(record.data)
            let time = row.integer(at: 1)
            rows.append(Row(id: record.entry.id, savedAt: time, failures: 0, partitionKey: key, data: data))
        }
        return rows
    }

    /// The record of a row, unless it was altered.
    private func row(of table: String, _ id: RecordID) -> Row? {
        let unchecked = "id, saved_at, failures, NULL, partition_key, data"
        guard
            let row = find(
                id,
                in: table,
                columns: "id, saved_at, failures, sum, partition_key, data",
                or: isFormat1 ? unchecked : "*"
            )
        else { return nil }
        let isUnaltered =
            row.isNull(at: 3)
            ? isFormat1
            : unsafe row.integer(at: 3) == RecordChecksum.of(id, key: row.bytes(at: 4), data: row.bytes(at: 5))
        guard isUnaltered else { return nil }
        return unsafe Row(
            id: id,
            savedAt: row.integer(at: 1),
            failures: row.integer(at: 2),
            partitionKey: row.text(at: 4),
            data: Data(row.bytes(at: 5))
        )
    }

    /// Finds a row; reads the other columns if a name of `columns` does not exist.
    private func find(_ id: RecordID, in table: String, columns: String, or others: String) -> SQLiteStatement? {
        if finder?.table != table {
            // If a column's name is damaged, the columns are still in order, and the checksums show if they are not.
            let statement = [columns, others].lazy.compactMap { [connection] columns in
                try? connection?.prepare("SELECT \(columns) FROM \(table) WHERE rowid = ?1")
            }.first
            finder = statement.map { (table, $0) }
        }
        guard let statement = finder?.statement else { return nil }
        statement.reset()
        guard (try? statement.bind(id.rawValue, at: 1)) != nil, (try? statement.step()) == true else { return nil }
        return statement
    }

    /// Moves the log's content into the damaged file, as far as possible.
    func emptyLog() {
        try? connection?.checkpoint(.truncate)
    }

    private static func rows<T>(
        _ sql: String,
        in connection: SQLiteConnection?,
        while condition: (SQLiteStatement) -> Bool = { _ in true },
        read: (SQLiteStatement) -> T
    ) -> [T] {
        guard let rows = try? connection?.prepare(sql) else { return [] }
        var all: [T] = []
        while (try? rows.step()) == true, condition(rows) { all.append(read(rows)) }
        return all
    }
}
