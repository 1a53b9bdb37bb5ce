import RecorderSQLite

/// Records that stay in the store after an answer, while later ones of their stream leave: a row each, in a table of their own.
/// So the cursor of a stream can pass them. Belongs to the writer; every method runs inside its transaction.
///
/// They are the oldest records of their streams, and are read first. Only they have a count of failures.
final class KeptRecords {
    static let table = "kept"

    private let connection: SQLiteConnection
    private let insertRow: SQLiteStatement
    private let removeRow: SQLiteStatement
    private let addFailure: SQLiteStatement
    private let first: SQLiteStatement
    private let firstOfStream: SQLiteStatement
    /// Whether there is certainly none.
    private var isEmpty = false

    /// A larger count is corruption and reads as 0; the checksum does not cover this column.
    private static let mostFailures: Int64 = 1 << 24

    /// The failures of a record, as stored in its row.
    static func failures(_ stored: Int64) -> Int {
        (0...mostFailures).contains(stored) ? Int(stored) : 0
    }

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        insertRow = try connection.prepare(
            "INSERT INTO \(Self.table) (id, saved_at, sum, partition_key, data) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        removeRow = try connection.prepare("DELETE FROM \(Self.table) WHERE id = ?1")
        addFailure = try connection.prepare(
            """
            UPDATE \(Self.table)
            SET failures = CASE WHEN failures BETWEEN 0 AND \(Self.mostFailures) THEN failures ELSE 0 END + 1
            WHERE id = ?1
            """
        )
        first = try connection.prepare(
            """
            SELECT id, saved_at, \(SegmentTable.size) FROM \(Self.table) INDEXED BY kept_order
            ORDER BY \(StoreSchema.sequence) LIMIT 1
            """
        )
        firstOfStream = try connection.prepare(
            "SELECT id, saved_at, \(SegmentTable.size) FROM \(Self.table) WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1"
        )
    }

    /// Called when another process may have changed the file, and after a rollback.
    func forget() {
        isEmpty = false
    }

    /// Adds a record that was saved at `time`.
    func insert(
        _ id: RecordID,
        at time: Int64,
        key: UnsafeRawBufferPointer,
        data: UnsafeRawBufferPointer
    ) throws(SQLiteError) {
        isEmpty = false
        try insertRow.bind(id.rawValue, at: 1)
        try insertRow.bind(time, at: 2)
        try insertRow.bind(unsafe RecordChecksum.of(id, key: key, data: data), at: 3)
        try unsafe insertRow.run(bindingText: key, bytes: data, at: 4)
    }

    /// Adds the rows of a range of ids from a table with a row for each record; returns how many there are.
    func insert(from table: String, after: RecordID, through: RecordID) throws(SQLiteError) -> Int {
        isEmpty = false
        let copy = try connection.prepare(
            """
            INSERT INTO \(Self.table) (id, saved_at, failures, sum, partition_key, data)
            SELECT id, saved_at, failures, sum, partition_key, data FROM \(table) WHERE id BETWEEN ?1 AND ?2
            """
        )
        try copy.bind(from: after.next, through: through)
        try copy.run()
        return connection.changes
    }

    /// Removes a record; false if it is not there.
    func remove(_ id: RecordID) throws(SQLiteError) -> Bool {
        guard !isEmpty else { return false }
        try removeRow.bind(id.rawValue, at: 1)
        try removeRow.run()
        return connection.changes == 1
    }

    func countFailure(of id: RecordID) throws(SQLiteError) {
        try addFailure.bind(id.rawValue, at: 1)
        try addFailure.run()
    }

    /// The one that was saved first; nil if there is none.
    func oldest() throws(SQLiteError) -> StoredRecord? {
        guard !isEmpty else { return nil }
        defer { first.reset() }
        guard try first.step() else {
            isEmpty = true
            return nil
        }
        return StoredRecord(row: first)
    }

    /// The one of a stream that was saved first; nil if there is none.
    func oldest(of stream: Int64) throws(SQLiteError) -> StoredRecord? {
        guard !isEmpty else { return nil }
        try firstOfStream.bind(from: RecordID(stream: stream, sequence: 0), through: RecordID(lastOf: stream))
        defer { firstOfStream.reset() }
        return try firstOfStream.step() ? StoredRecord(row: firstOfStream) : nil
    }

    /// Removes all of a stream.
    func remove(allOf stream: Int64) throws(SQLiteError) -> RecordAmount {
        let (first, last) = (RecordID(stream: stream, sequence: 0), RecordID(lastOf: stream))
        let rows = try connection.prepare(
            "SELECT id, saved_at, \(SegmentTable.size) FROM \(Self.table) WHERE id BETWEEN ?1 AND ?2"
        )
        try rows.bind(from: first, through: last)
        var amount = RecordAmount()
        while try rows.step() { amount += RecordAmount(records: 1, bytes: StoredRecord(row: rows).storedBytes) }
        let delete = try connection.prepare("DELETE FROM \(Self.table) WHERE id BETWEEN ?1 AND ?2")
        try delete.bind(from: first, through: last)
        try delete.run()
        return amount
    }

    /// Removes all.
    func clear() throws(SQLiteError) {
        guard !isEmpty else { return }
        try connection.execute("DELETE FROM \(Self.table)")
        isEmpty = true
    }
}

@available(*, unavailable)
extension KeptRecords: Sendable {}
