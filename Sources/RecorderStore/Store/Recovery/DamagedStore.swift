import FoundationEssentials
import RecorderSQLite

/// What can be read of a damaged database. Reading ends where the damage begins; an error that will pass ends all of it.
final class DamagedStore {
    /// A record whose bytes are valid during the call that gets it.
    struct Row {
        let record: BlockRecords.Element
        let savedAt: Int64
        let failures: Int64
        let source: KeySource

        var id: RecordID { record.entry.id }
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
    /// The files whose import is noted.
    let imported: [String]
    private let connection: SQLiteConnection?
    /// The statement that finds a row by its id, for the table that was read last.
    private var finder: (table: String, statement: SQLiteStatement)?

    /// Throws if it cannot be read at all for another reason than damage, such as too many open files, too little memory, a disk
    /// that fails, or a program that has it locked: a rescue would leave all of it behind.
    init(_ path: String) throws(SQLiteError) {
        var connection: SQLiteConnection?
        do throws(SQLiteError) {
            connection = try SQLiteConnection(path: path, access: .damaged)
            try connection?.execute("SELECT count(*) FROM sqlite_schema; SELECT max(cursor) FROM stream")
        } catch {
            guard error.isCorrupt || error.isInternal || error.isShortRead else { throw error }
        }
        self.connection = connection
        streams = try Self.streams(connection)
        filePositions = try FilePositions(damaged: connection)
        rejected = try RejectedRecords(damaged: connection).records
        imported = try Self.rows("SELECT file FROM imported", in: connection) { $0.text(at: 0) }
        // The rest of a truncated row reads as zeroes: a value in a later column shows that the count is complete.
        let counts = try Self.rows("SELECT records FROM stream WHERE number = 0 AND saved_bytes > 0", in: connection) {
            Int($0.integer(at: 0))
        }
        clock = try connection.flatMap { (connection) throws(SQLiteError) in
            try SQLiteError.ignoringDamage(try StoreClock.Reference.read(connection))
        }
        countedRecords = counts.first.flatMap { RecordID.sequences.contains(Int64($0)) ? $0 : nil }
    }

    /// The names are in an index too. If only that can be read, or a row is implausible, it is unknown what was delivered: all
    /// rows of the stream count as live, and some may be sent again.
    private static func streams(_ connection: SQLiteConnection?) throws(SQLiteError) -> [Stream] {
        let complete = try rows("SELECT number, name, cursor FROM stream WHERE number > 0", in: connection) {
            Stream(number: $0.integer(at: 0), name: $0.text(at: 1), cursor: $0.integer(at: 2))
        }
        let named = try rows(
            "SELECT number, name FROM stream INDEXED BY sqlite_autoindex_stream_1 WHERE name > '' AND number > 0",
            in: connection
        ) {
            Stream(number: $0.integer(at: 0), name: $0.text(at: 1), cursor: 0)
        }
        let next = try rows("SELECT next_sequence FROM stream WHERE number = 0 AND next_sequence > 0", in: connection) {
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
        for id in try ids(of: .kept, after: 0) where cursors[id.stream] != nil {
            try readBlock(id, of: .kept, after: nil, insert)
        }
        for segment in try segments() {
            let table = BlockTable(segment)
            for id in try ids(of: table, after: max(segment.first, 1) - 1) {
                guard let cursor = cursors[id.stream], cursor < id.sequence else { continue }
                try readBlock(id, of: table, after: cursor, insert)
            }
        }
    }

    /// All segments whose tables may exist: of the list and of the schema, because damage can have removed a name from either.
    private func segments() throws(SQLiteError) -> [Segment] {
        let named = try Self.rows("SELECT name FROM sqlite_schema WHERE \(Segment.isTable)", in: connection) {
            $0.text(at: 0)
        }
        func segment(_ first: Int64, _ source: Int64 = 0) -> Segment {
            Segment(first: first, firstBytes: 0, removed: 0, keySource: KeySource(stored: source) ?? .random())
        }
        let listed = try Self.rows("SELECT first_sequence, key_source FROM segment", in: connection) {
            segment($0.integer(at: 0), $0.integer(at: 1))
        }
        let tables = Set(listed.map(\.table))
        let unlisted = named.filter { !tables.contains($0) }.compactMap { name in
            Int64(name.drop { $0 != "_" }.dropFirst()).map { segment($0) }
        }
        return (listed + unlisted).sorted { $0.first < $1.first }
    }

    /// The ids of a table's rows, whose sequences are after one.
    private func ids(of table: BlockTable, after sequence: Int64) throws(SQLiteError) -> [RecordID] {
        guard let connection, var rows = try SQLiteError.ignoringDamage(try DamagedTable(table.name, connection)) else {
            return []
        }
        let first = min(sequence, RecordID.sequences.upperBound)
        try rows.read(
            streams.map {
                RecordID(stream: $0.number, sequence: first).rawValue...RecordID(lastOf: $0.number).rawValue
            }
        )
        return rows.ids.sorted().map { RecordID(rawValue: $0) }
    }

    /// Passes the unaltered records of a block after a sequence to `insert`.
    private func readBlock(
        _ id: RecordID,
        of table: BlockTable,
        after cursor: Int64?,
        _ insert: (Row) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        guard let row = try find(id, in: table), var block = try? BlockRecords(row) else { return }
        while let record = (try? block.next()) ?? nil {
            guard record.isUnaltered, record.entry.id.sequence > cursor ?? -1 else { continue }
            try insert(
                Row(
                    record: record,
                    savedAt: row.integer(at: 1),
                    failures: Int64(block.failures),
                    source: block.source
                )
            )
        }
    }

    /// Finds a block. If a column's name is damaged, the columns are still in order, and the checksums show if they are not.
    private func find(_ id: RecordID, in table: BlockTable) throws(SQLiteError) -> SQLiteStatement? {
        if finder?.table != table.name {
            finder = nil
            for query in [table.blocks, table.blocksByOrder] where finder == nil {
                finder = try SQLiteError.ignoringDamage(try connection?.prepare(query)).map { (table.name, $0) }
            }
        }
        guard let statement = finder?.statement else { return nil }
        statement.reset()
        try statement.bind(from: id, through: id)
        return try SQLiteError.ignoringDamage(try statement.step()) == true ? statement : nil
    }

    /// Moves the log's content into the damaged file, as far as possible.
    func emptyLog() {
        try? connection?.checkpoint(.truncate)
    }

    private static func rows<T>(
        _ sql: String,
        in connection: SQLiteConnection?,
        read: (SQLiteStatement) -> T
    ) throws(SQLiteError) -> [T] {
        guard let rows = try SQLiteError.ignoringDamage(try connection?.prepare(sql)) else { return [] }
        var all: [T] = []
        while try SQLiteError.ignoringDamage(try rows.step()) == true { all.append(read(rows)) }
        return all
    }
}
