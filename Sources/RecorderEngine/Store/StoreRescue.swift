import Foundation
import RecorderSQLite

/// A report of a damaged store that was put aside.
package struct Rescue: Sendable, Hashable {
    /// Where the damaged file lies now, for whoever wants to look.
    package let movedTo: String
    /// Records that could be read and are in the new store.
    package let rescued: Int
    /// Records that could not; nil where the damaged file does not even tell how many there were.
    package let lost: Int?
}

/// Replaces a damaged database by a new one with every record that can still be read.
///
/// The new file is built beside the old one and takes its place in one step when it is complete and on disk: a process
/// that dies on the way leaves the damaged file where it was, and the next one begins anew. Counters begin anew, too.
struct StoreRescue {
    private let path: String
    private let copy: String

    init(_ path: String) {
        self.path = path
        copy = "\(path).rescue"
    }

    /// Called under the write lock, with no connection of this process open.
    func run() throws(RecorderError) -> Rescue {
        for suffix in ["", "-wal", "-shm"] { _ = unsafe unlink("\(copy)\(suffix)") }
        try StoreDirectory.createFile(copy)
        let (rescued, counted) = try copyRecords()
        // No name twice, however soon one rescue comes after another.
        let aside = "\(path).damaged-\(Int(Date().timeIntervalSince1970))-\(UUID().uuidString.prefix(8))"
        let hasTwoNames = try addName(aside)
        // The log is empty, or belongs to a file that could not take it: nothing to be left behind by a death from here on.
        _ = unsafe rename("\(path)-wal", "\(aside)-wal")
        _ = unsafe unlink("\(path)-shm")
        if !hasTwoNames { try move(path, to: aside) }
        try move(copy, to: path)
        return Rescue(movedTo: aside, rescued: rescued, lost: counted.map { max($0 - rescued, 0) })
    }

    /// Gives the damaged file a second name, so that there is no instant without a file at the path; false where the file
    /// system knows no second names, as FAT, or a policy grants none, as AppArmor can.
    private func addName(_ aside: String) throws(RecorderError) -> Bool {
        if unsafe link(path, aside) == 0 { return true }
        let trouble = errno
        if [EACCES, EPERM, EOPNOTSUPP, ENOSYS].contains(trouble) { return false }
        throw .storage("\(path) is damaged and cannot be put aside: \(String(errorNumber: trouble)).", nil)
    }

    private func move(_ file: String, to name: String) throws(RecorderError) {
        guard unsafe rename(file, name) == 0 else {
            throw .storage("\(file) cannot be renamed to \(name): \(String(errorNumber: errno)).", nil)
        }
    }

    /// Fills the copy; returns how many records were read, and how many the damaged store says it had.
    private func copyRecords() throws(RecorderError) -> (rescued: Int, counted: Int?) {
        let new = try StorageErrorMapping.naming(copy) { () throws(SQLiteError) in
            try SQLiteConnection(path: copy, access: .readWrite)
        }
        try StoreSchema.prepare(new, path: copy)
        return try StorageErrorMapping.naming(copy) { () throws(SQLiteError) in
            let damaged = DamagedStore(path)
            let rescued = try new.transaction { () throws(SQLiteError) in
                try new.execute(StoreSchema.recordTable("record_1"))
                let records = try RescuedRecords(new)
                try damaged.readRecords { (row) throws(SQLiteError) in try records.insert(row) }
                damaged.emptyLog()
                try records.finish(damaged.streams)
                try damaged.clock?.write(new)
                return records.count
            }
            try new.checkpoint(.truncate)
            return (rescued, damaged.countedRecords)
        }
    }
}

/// What can be read of a damaged database. No error of it is an error here: reading ends where the damage begins.
private final class DamagedStore {
    struct Row {
        let id: RecordID
        let savedAt: Int64
        let failures: Int64
        let sum: Int64
        let partitionKey: String
        let data: Data
    }

    private let connection: SQLiteConnection?
    let streams: [(number: Int64, name: String, cursor: Int64)]
    let countedRecords: Int?
    /// What the records' times were counted by.
    let clock: StoreClock.Reference?

    init(_ path: String) {
        let connection = try? SQLiteConnection(path: path, access: .damaged)
        self.connection = connection
        streams = Self.streams(connection)
        // Of a row that the damage cut off the rest reads as zeroes: what stands behind the count tells that it is whole.
        let counts = Self.rows("SELECT records FROM stream WHERE number = 0 AND saved_bytes > 0", connection) {
            Int($0.integer(at: 0))
        }
        clock = connection.flatMap { try? StoreClock.Reference.read($0) }
        countedRecords = counts.first.flatMap { RecordID.sequences.contains(Int64($0)) ? $0 : nil }
    }

    /// The names are in an index, too. Where only that can be read, or the row makes no sense, nobody knows what was
    /// delivered already: all of the stream's rows count as live, and some may be sent again.
    private static func streams(_ connection: SQLiteConnection?) -> [(number: Int64, name: String, cursor: Int64)] {
        let whole = rows("SELECT number, name, cursor FROM stream WHERE number > 0", connection) {
            (number: $0.integer(at: 0), name: $0.text(at: 1), cursor: $0.integer(at: 2))
        }
        let named = rows(
            "SELECT number, name FROM stream INDEXED BY sqlite_autoindex_stream_1 WHERE name > '' AND number > 0",
            connection
        ) {
            (number: $0.integer(at: 0), name: $0.text(at: 1), cursor: Int64(0))
        }
        let next = rows("SELECT next_sequence FROM stream WHERE number = 0 AND next_sequence > 0", connection) {
            $0.integer(at: 0)
        }
        // A cursor that comes after all sequences would leave nothing of its stream.
        let cursors = 0...max(min(next.first ?? .max, RecordID.sequences.upperBound + 1) - 1, 0)
        var numbers: Set<Int64> = []
        var names: Set<String> = []
        // What damage made of a row may be no stream that there ever was, or one twice.
        return (whole + named).filter { stream in
            RecordID.streams.contains(stream.number) && cursors.contains(stream.cursor)
                && !stream.name.isEmpty && stream.name.utf8.allSatisfy(StreamServiceDescription.isNameCharacter)
                && !numbers.contains(stream.number) && names.insert(stream.name).inserted
                && numbers.insert(stream.number).inserted
        }
    }

    /// Hands over the live records of each segment from its start up to the damage, then from its end down to it.
    func readRecords(_ use: (Row) throws(SQLiteError) -> Bool) throws(SQLiteError) {
        let cursors = Dictionary(streams.map { ($0.number, $0.cursor) }) { first, _ in first }
        // By either list, as damage can have taken a name from the other.
        let named = Self.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'record_[0-9]*'", connection) {
            Int64($0.text(at: 0).dropFirst("record_".count))
        }
        let listed = Self.rows("SELECT first_sequence FROM segment", connection) { $0.integer(at: 0) }
        for name in Set(named.compactMap(\.self) + listed).sorted().map(Segment.table) {
            for order in ["ASC", "DESC"] {
                guard let rows = Self.records(of: name, order, connection) else { continue }
                while (try? rows.step()) == true {
                    let id = RecordID(rawValue: rows.integer(at: 0))
                    guard let cursor = cursors[id.stream], cursor < id.sequence, Self.isUnaltered(id, rows)
                    else { continue }
                    // What is here already has been read from the other end, and all beyond it.
                    guard try use(Row(id, rows)) else { break }
                }
            }
        }
    }

    private static func records(
        of table: String,
        _ order: String,
        _ connection: SQLiteConnection?
    ) -> SQLiteStatement? {
        // Where the damage hit a column's name, the columns are still in their places, and the sums tell if they are not.
        for columns in ["id, saved_at, failures, sum, partition_key, data", "*"] {
            let sql = "SELECT \(columns) FROM \(table) ORDER BY rowid \(order)"
            if let rows = try? connection?.prepare(sql) { return rows }
        }
        return nil
    }

    private static func isUnaltered(_ id: RecordID, _ row: SQLiteStatement) -> Bool {
        let sum = unsafe RecordChecksum.of(id, key: row.bytes(at: 4), data: row.bytes(at: 5))
        return !row.isNull(at: 3) && row.integer(at: 3) == sum
    }

    /// Moves into the damaged file what its log holds, as far as it can.
    func emptyLog() {
        try? connection?.checkpoint(.truncate)
    }

    private static func rows<T>(_ sql: String, _ connection: SQLiteConnection?, _ read: (SQLiteStatement) -> T) -> [T] {
        guard let rows = try? connection?.prepare(sql) else { return [] }
        var all: [T] = []
        while (try? rows.step()) == true { all.append(read(rows)) }
        return all
    }
}

extension DamagedStore.Row {
    init(_ id: RecordID, _ row: SQLiteStatement) {
        self.id = id
        savedAt = row.integer(at: 1)
        failures = row.integer(at: 2)
        sum = row.integer(at: 3)
        partitionKey = row.text(at: 4)
        data = unsafe Data(row.bytes(at: 5))
    }
}

/// The new store while it is filled: one segment, whose span reaches back to the first sequence there ever was.
private final class RescuedRecords {
    private let connection: SQLiteConnection
    private let statement: SQLiteStatement
    /// How many records each stream has, and what they take.
    private var streams: [Int64: (records: Int, bytes: Int)] = [:]
    private var bytes = 0
    private var last: Int64 = 0
    private(set) var count = 0

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        statement = try connection.prepare(
            """
            INSERT OR IGNORE INTO record_1 (id, saved_at, failures, sum, partition_key, data)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """
        )
    }

    /// False if the record is here already.
    func insert(_ row: DamagedStore.Row) throws(SQLiteError) -> Bool {
        try statement.bind(row.id.rawValue, at: 1)
        try statement.bind(row.savedAt, at: 2)
        try statement.bind(row.failures, at: 3)
        try statement.bind(row.sum, at: 4)
        try statement.bind(row.partitionKey, at: 5)
        try statement.run(binding: row.data, at: 6)
        guard connection.changes == 1 else { return false }
        let size = Record.storedBytes(payload: row.data.count, key: row.partitionKey.utf8.count)
        let earlier = streams[row.id.stream] ?? (0, 0)
        streams[row.id.stream] = (earlier.records + 1, earlier.bytes + size)
        bytes += size
        last = max(last, row.id.sequence)
        count += 1
        return true
    }

    /// Writes streams, totals and the segment.
    func finish(_ known: [(number: Int64, name: String, cursor: Int64)]) throws(SQLiteError) {
        let add = try connection.prepare(
            "INSERT INTO stream (number, name, cursor, records, bytes) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        for stream in known {
            try add.bind(stream.number, at: 1)
            try add.bind(stream.name, at: 2)
            try add.bind(stream.cursor, at: 3)
            let counts = streams[stream.number] ?? (0, 0)
            try add.bind(Int64(counts.records), at: 4)
            try add.bind(Int64(counts.bytes), at: 5)
            try add.run()
        }
        let next = max(last, known.map(\.cursor).max() ?? 0) + 1
        try connection.execute(
            """
            UPDATE stream SET records = \(count), bytes = \(bytes), saved = \(count), saved_bytes = \(bytes),
                next_sequence = \(next) WHERE number = 0
            """
        )
        guard count > 0 else { return try connection.execute("DROP TABLE record_1") }
        try connection.execute(
            "INSERT INTO segment (first_sequence, first_bytes, removed) VALUES (1, 0, \(next - 1 - Int64(count)))"
        )
    }
}
