import RecorderSQLite

extension StoreTotals {
    /// In the order in which `init` reads them.
    static let columns = """
        records, bytes, saved, delivered, retried, evicted, expired, rejected, exhausted, cleared, next_sequence,
        entries
        """

    /// Selects the row that they are in.
    static let query = "SELECT \(columns) FROM stream WHERE number = 0"

    /// Runs a statement of `query`.
    init(running query: SQLiteStatement) throws(SQLiteError) {
        defer { query.reset() }
        guard try query.step() else {
            throw .totalsMissing
        }
        try self.init(query)
    }

    init(_ row: SQLiteStatement) throws(SQLiteError) {
        records = try row.count(at: 0)
        bytes = try row.count(at: 1)
        saved = try row.count(at: 2)
        delivered = try row.count(at: 3)
        retried = try row.count(at: 4)
        evicted = try row.count(at: 5)
        expired = try row.count(at: 6)
        rejected = try row.count(at: 7)
        exhausted = try row.count(at: 8)
        cleared = try row.count(at: 9)
        nextSequence = row.integer(at: 10)
        entries = try row.count(at: 11)
        guard Self.isPlausible(records: row.integer(at: 0), bytes: row.integer(at: 1)),
            RecordID.sequences.contains(nextSequence)
        else { throw .implausibleCount }
    }
}

extension SQLiteStatement {
    /// A count of records or bytes. Corruption can leave any number there; after this error they are counted anew.
    func count(at column: Int32) throws(SQLiteError) -> Int {
        guard StoreTotals.plausible.contains(integer(at: column)) else { throw .implausibleCount }
        return Int(integer(at: column))
    }
}

extension SQLiteError {
    fileprivate static let implausibleCount = SQLiteError.contradiction(
        "a count is out of range",
        action: "reading counts"
    )

    /// The row is written with the table, and never deleted.
    static let totalsMissing = SQLiteError.damage(
        "the store's row of totals, or the one that identifies it, is missing",
        action: "reading totals"
    )

    /// Only valid names are stored, under valid numbers.
    static let invalidStream = SQLiteError.damage("a stream's name or number is invalid", action: "reading streams")
}
