import RecorderSQLite

/// The writer's statements on streams and totals, each prepared once.
final class StoreStatements {
    private let addStream: SQLiteStatement
    private let findStream: SQLiteStatement
    private let readCursor: SQLiteStatement
    private let writeCursor: SQLiteStatement
    private let streams: SQLiteStatement
    private let totals: SQLiteStatement
    private let updateTotals: SQLiteStatement
    private let updateStream: SQLiteStatement
    private let clearStreams: SQLiteStatement
    private let addForeign: SQLiteStatement
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        addForeign = try connection.prepare("INSERT OR IGNORE INTO imported (file) VALUES (?1)")
        addStream = try connection.prepare("INSERT OR IGNORE INTO stream (name) VALUES (?1)")
        findStream = try connection.prepare("SELECT number FROM stream WHERE name = ?1")
        readCursor = try connection.prepare("SELECT cursor FROM stream WHERE number = ?1")
        writeCursor = try connection.prepare("UPDATE stream SET cursor = ?2 WHERE number = ?1")
        streams = try connection.prepare("SELECT number, name FROM stream WHERE number > 0")
        totals = try connection.prepare(
            "SELECT records, bytes, next_sequence, saved_bytes FROM stream WHERE number = 0"
        )
        clearStreams = try connection.prepare(
            "UPDATE stream SET cleared = cleared + records, records = 0, bytes = 0, cursor = ?1 - 1"
        )
        let update = """
            UPDATE stream SET records = records + ?2, bytes = bytes + ?3, saved = saved + ?4,
                delivered = delivered + ?5, retried = retried + ?6, evicted = evicted + ?7, expired = expired + ?8,
                rejected = rejected + ?9, exhausted = exhausted + ?10
            """
        updateStream = try connection.prepare("\(update) WHERE number = ?1")
        updateTotals = try connection.prepare("\(update), next_sequence = ?11, saved_bytes = ?12 WHERE number = ?1")
    }

    // MARK: totals

    func ledger() throws(SQLiteError) -> StoreLedger {
        guard try totals.step() else {
            throw SQLiteError.damage("the store's row of totals is gone", action: "reading totals")
        }
        defer { totals.reset() }
        // Damage can leave any number here, and sums of such numbers would trap.
        guard
            (0..<4).allSatisfy({ (0...Self.largestCount).contains(totals.integer(at: $0)) }),
            RecordID.sequences.contains(totals.integer(at: 2))
        else {
            throw SQLiteError.damage("the store's totals are out of range", action: "reading totals")
        }
        return StoreLedger(
            records: Int(totals.integer(at: 0)),
            bytes: Int(totals.integer(at: 1)),
            nextSequence: totals.integer(at: 2),
            savedBytes: totals.integer(at: 3)
        )
    }

    /// No count of records or bytes comes near this.
    private static let largestCount: Int64 = 1 << 60

    func write(_ ledger: StoreLedger) throws(SQLiteError) {
        for (stream, change) in ledger.changes { try updateStream.run(change, stream) }
        try updateTotals.bind(ledger.nextSequence, at: 11)
        try updateTotals.bind(ledger.savedBytes, at: 12)
        try updateTotals.run(ledger.total, 0)
    }

    // MARK: streams

    /// The number of a stream, which gets one if it is new.
    func number(of stream: StreamName) throws(SQLiteError) -> Int64 {
        try addStream.bind(stream.rawValue, at: 1)
        try addStream.run()
        try findStream.bind(stream.rawValue, at: 1)
        guard try findStream.step() else {
            throw SQLiteError.damage("the stream's row is gone", action: "saving")
        }
        defer { findStream.reset() }
        return findStream.integer(at: 0)
    }

    func allStreams() throws(SQLiteError) -> [(number: Int64, name: StreamName)] {
        var found: [(Int64, StreamName)] = []
        while try streams.step() {
            found.append((streams.integer(at: 0), StreamName(unchecked: streams.text(at: 1))))
        }
        return found
    }

    /// Notes a foreign file; false if it was noted before.
    func addImport(_ identity: String) throws(SQLiteError) -> Bool {
        try addForeign.bind(identity, at: 1)
        try addForeign.run()
        return connection.changes == 1
    }

    /// Counts every record as cleared.
    func clear(before end: Int64) throws(SQLiteError) {
        try clearStreams.bind(end, at: 1)
        try clearStreams.run()
    }

    /// The id through which a stream's records are gone.
    func cursor(of stream: Int64) throws(SQLiteError) -> RecordID {
        try readCursor.bind(stream, at: 1)
        defer { readCursor.reset() }
        return RecordID(stream: stream, sequence: try readCursor.step() ? readCursor.integer(at: 0) : 0)
    }

    func moveCursor(to id: RecordID) throws(SQLiteError) {
        try writeCursor.bind(id.stream, at: 1)
        try writeCursor.bind(id.sequence, at: 2)
        try writeCursor.run()
    }
}

extension SQLiteStatement {
    fileprivate func run(_ change: StoreLedger.Change, _ stream: Int64) throws(SQLiteError) {
        try bind(stream, at: 1)
        let columns = [
            change.records, change.bytes, change.saved, change.delivered, change.retried, change.evicted,
            change.expired, change.rejected, change.exhausted,
        ]
        for (index, value) in columns.enumerated() { try bind(Int64(value), at: Int32(index) + 2) }
        try run()
    }

    /// Binds a range of ids at 1 and 2.
    func bind(from first: RecordID, through last: RecordID) throws(SQLiteError) {
        try bind(first.rawValue, at: 1)
        try bind(last.rawValue, at: 2)
    }
}
