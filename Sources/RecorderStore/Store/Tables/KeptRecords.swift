import RecorderSQLite

/// Records that stay in the store after an answer, while later ones of their stream leave: a block of one each, in a table of their
/// own. So the cursor of a stream can pass them. Belongs to the writer; every method runs inside its transaction.
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

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        insertRow = try connection.prepare(
            """
            INSERT OR IGNORE INTO \(Self.table) (id, saved_at, span, number, head, data, failures, key_source)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        )
        removeRow = try connection.prepare("DELETE FROM \(Self.table) WHERE id = ?1")
        addFailure = try connection.prepare(
            """
            UPDATE \(Self.table)
            SET failures = CASE WHEN failures BETWEEN 0 AND \(BlockRecords.mostFailures) THEN failures ELSE 0 END + 1
            WHERE id = ?1
            """
        )
        first = try connection.prepare(
            """
            SELECT id, saved_at, span, number, head FROM \(Self.table) INDEXED BY kept_order
            ORDER BY \(StoreSchema.sequence) LIMIT 1
            """
        )
        firstOfStream = try connection.prepare("\(BlockTable.kept.heads) LIMIT 1")
    }

    /// Called when another process may have changed the file, and after a rollback.
    func forget() {
        isEmpty = false
    }

    /// Adds a record of a block, which was saved at `time`; false if it is there already.
    @discardableResult
    func insert(
        _ record: BlockRecords.Element,
        at time: Int64,
        source: KeySource,
        failures: Int64 = 0
    ) throws(SQLiteError) -> Bool {
        isEmpty = false
        let id = record.entry.id
        var block = BlockBuilder(stream: id.stream)
        unsafe block.append(
            sequence: id.sequence,
            at: time,
            key: record.entry.key,
            givenKey: record.givenKey,
            data: record.data
        )
        try insertRow.bind(failures, at: 7)
        try insertRow.bind(source.stored, at: 8)
        try block.store(with: insertRow)
        return connection.changes == 1
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
        return try StoredRecord(only: first)
    }

    /// The one of a stream that was saved first; nil if there is none.
    func oldest(of stream: Int64) throws(SQLiteError) -> StoredRecord? {
        guard !isEmpty else { return nil }
        try firstOfStream.bind(from: RecordID(stream: stream, sequence: 0), through: RecordID(lastOf: stream))
        defer { firstOfStream.reset() }
        return try firstOfStream.step() ? try StoredRecord(only: firstOfStream) : nil
    }

    /// Removes all of a stream.
    func remove(allOf stream: Int64) throws(SQLiteError) -> RecordAmount {
        let (first, last) = (RecordID(stream: stream, sequence: 0), RecordID(lastOf: stream))
        let rows = try connection.prepare(BlockTable.kept.heads)
        try rows.bind(from: first, through: last)
        var amount = RecordAmount()
        while try rows.step() { amount += RecordAmount(records: 1, bytes: try StoredRecord(only: rows).storedBytes) }
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

extension StoredRecord {
    /// The record of a block of one.
    fileprivate init(only row: SQLiteStatement) throws(SQLiteError) {
        var head = try BlockHead(row)
        guard let entry = try head.next(), try head.next() == nil else { throw .damagedBlock }
        self.init(id: entry.id, savedAt: row.integer(at: 1), storedBytes: entry.storedBytes)
    }
}
