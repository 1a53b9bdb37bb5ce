package import FoundationEssentials
import RecorderSQLite

/// The copy of a record that the service did not accept, and that left the store for that reason.
package struct RejectedRecord: Sendable {
    /// Counts the copies of a store.
    fileprivate(set) var id: Int64
    package let stream: StreamName
    /// The key that names the record if it was saved without one; nil if the service has no keys.
    package let partitionKey: String?
    package let data: Data
    /// The service's error code, or `exhausted`.
    package let code: String
    /// What the service said; may be empty.
    package let message: String
    /// Both times are the wall clock's, in ms, as of the rejection.
    let savedAtMilliseconds: Int64
    let rejectedAtMilliseconds: Int64

    /// The code of a record that failed more often than the retry limit allows.
    static let exhausted = "RetriesExhausted"

    package var savedAt: Date { Date(milliseconds: savedAtMilliseconds) }
    package var rejectedAt: Date { Date(milliseconds: rejectedAtMilliseconds) }

    /// Its key and its data, in bytes.
    var bytes: Int { data.count + (partitionKey?.utf8.count ?? 0) }

    /// Of everything, so that a copy which damage altered is not put back.
    fileprivate var checksum: Int64 {
        let others = "\(id)\0\(stream.rawValue)\0\(savedAtMilliseconds)\0\(rejectedAtMilliseconds)\0\(code)\0\(message)"
        var key = partitionKey ?? ""
        return key.withUTF8 { key in
            unsafe data.withUnsafeBytes { data in
                unsafe Int64(
                    RecordChecksum.of(
                        RecordID(rawValue: others.checksum),
                        key: .given(bytes: key.count),
                        givenKey: UnsafeRawBufferPointer(key),
                        data: data
                    )
                )
            }
        }
    }
}

/// The copies in a store, the oldest rejection first.
package struct RejectedRecords: Sendable {
    package private(set) var records: [RejectedRecord] = []
    /// How many copies were altered by damage.
    package private(set) var damaged = 0

    /// Reads the copies of some streams; nil stands for all.
    init(_ connection: SQLiteConnection, of selection: StreamSelection?) throws(SQLiteError) {
        let rows = try connection.prepare("\(RejectedTable.query) ORDER BY id")
        while try rows.step() { add(rows) }
        if let selection { records.removeAll { !selection.contains($0.stream) } }
    }

    /// Reads what can be read of a damaged store: from its start up to damage, then from its end back to it.
    init(damaged connection: SQLiteConnection?) throws(SQLiteError) {
        for order in ["ASC", "DESC"] {
            let query = "\(RejectedTable.query) ORDER BY id \(order)"
            guard let rows = try SQLiteError.ignoringDamage(try connection?.prepare(query)) else { continue }
            let last = records.last?.id ?? .min
            var isComplete = false
            while let hasRow = try SQLiteError.ignoringDamage(try rows.step()) {
                isComplete = !hasRow
                guard hasRow, order == "ASC" || rows.integer(at: 0) > last else { break }
                add(rows)
            }
            if isComplete { break }
        }
        records.sort { $0.id < $1.id }
    }

    private mutating func add(_ row: SQLiteStatement) {
        if let record = RejectedRecord(row) { records.append(record) } else { damaged += 1 }
    }
}

/// The table of copies of rejected records. Belongs to the writer; every method runs inside its transaction.
///
/// Copies count neither for the store's limits nor in its counters, and have limits of their own. They name their stream, because a
/// stream without records may lose its row.
struct RejectedTable {
    fileprivate static let query = """
        SELECT id, stream, saved_at, rejected_at, code, message, sum, partition_key, data FROM rejected
        """

    /// The most copies, and the bytes of their data and keys; the oldest ones go first.
    static let mostRecords = 1_000
    static let mostBytes = 4 * 1_024 * 1_024
    private static let size = "length(CAST(partition_key AS BLOB)) + length(data)"

    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// How many there are.
    func count() throws(SQLiteError) -> Int {
        return Int(try connection.integer("SELECT count(*) FROM rejected") ?? 0)
    }

    /// What they take of the file, in bytes: a copy that is longer than a page has whole ones.
    func fileBytes() throws(SQLiteError) -> Int64 {
        let sizes = "SELECT \(Self.size) + length(message) + 100 AS size FROM rejected"
        return try connection.integer(
            "SELECT sum(CASE WHEN size < 4096 THEN size ELSE (size + 4095) / 4096 * 4096 END) FROM (\(sizes))"
        ) ?? 0
    }

    static let table = """
        CREATE TABLE rejected (
            id INTEGER PRIMARY KEY, stream TEXT NOT NULL, saved_at INTEGER NOT NULL, rejected_at INTEGER NOT NULL,
            code TEXT NOT NULL, message TEXT NOT NULL, sum INTEGER NOT NULL, partition_key TEXT NOT NULL,
            data BLOB NOT NULL
        )
        """

    /// Adds copies. `trim` must follow.
    func add(_ records: [RejectedRecord]) throws(SQLiteError) {
        guard !records.isEmpty else { return }
        let last = try connection.integer("SELECT max(id) FROM rejected") ?? 0
        let insert = try connection.prepare("INSERT INTO rejected VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        for (index, var record) in records.enumerated() {
            record.id = last + Int64(index) + 1
            try insert.bind(record.id, at: 1)
            try insert.bind(record.stream.rawValue, at: 2)
            try insert.bind(record.savedAtMilliseconds, at: 3)
            try insert.bind(record.rejectedAtMilliseconds, at: 4)
            try insert.bind(record.code, at: 5)
            try insert.bind(record.message, at: 6)
            try insert.bind(record.checksum, at: 7)
            try insert.bind(record.partitionKey ?? "", at: 8)
            try insert.run(binding: record.data, at: 9)
        }
    }

    /// Removes the oldest copies beyond the limits.
    func trim() throws(SQLiteError) {
        let rows = try connection.prepare("SELECT id, \(Self.size) FROM rejected ORDER BY id DESC")
        var (count, bytes) = (0, 0)
        while try rows.step() {
            count += 1
            bytes += Int(rows.integer(at: 1))
            guard count > Self.mostRecords || bytes > Self.mostBytes else { continue }
            let id = rows.integer(at: 0)
            rows.reset()
            return try connection.execute("DELETE FROM rejected WHERE id <= \(id)")
        }
    }

    /// Removes these copies.
    func remove(_ records: [RejectedRecord]) throws(SQLiteError) {
        for record in records { try connection.execute("DELETE FROM rejected WHERE id = \(record.id)") }
    }

    /// Removes all copies, those that were altered by damage too.
    func clear() throws(SQLiteError) {
        try connection.execute("DELETE FROM rejected")
    }
}

extension RejectedRecord {
    /// nil if the row was altered.
    fileprivate init?(_ row: SQLiteStatement) {
        guard let stream = StreamName(stored: row.text(at: 1)) else { return nil }
        let key = row.text(at: 7)
        self.init(
            id: row.integer(at: 0),
            stream: stream,
            partitionKey: key.isEmpty ? nil : key,
            data: unsafe Data(row.bytes(at: 8)),
            code: row.text(at: 4),
            message: row.text(at: 5),
            savedAtMilliseconds: row.integer(at: 2),
            rejectedAtMilliseconds: row.integer(at: 3)
        )
        guard row.integer(at: 6) == checksum else { return nil }
    }
}
