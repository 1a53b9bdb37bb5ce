import RecorderSQLite

/// The writer's statements on streams and totals, each prepared once.
final class StoreStatements {
    private let addStream: SQLiteStatement
    private let findStream: SQLiteStatement
    private let readCursor: SQLiteStatement
    private let writeCursor: SQLiteStatement
    private let findName: SQLiteStatement
    private let lastNumber: SQLiteStatement
    private let removeUnused: SQLiteStatement
    private let totals: SQLiteStatement
    private let countArrivals: SQLiteStatement
    private let countDepartures: SQLiteStatement
    private let countStream: SQLiteStatement
    private let clearStreams: SQLiteStatement
    private let addForeign: SQLiteStatement
    private let removeForeign: SQLiteStatement
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        addForeign = try connection.prepare("INSERT OR IGNORE INTO imported (file) VALUES (?1)")
        removeForeign = try connection.prepare("DELETE FROM imported WHERE file = ?1")
        addStream = try connection.prepare("INSERT INTO stream (number, name, cursor) VALUES (?1, ?2, ?3)")
        findStream = try connection.prepare("SELECT number FROM stream WHERE name = ?1")
        readCursor = try connection.prepare("SELECT cursor FROM stream WHERE number = ?1")
        writeCursor = try connection.prepare("UPDATE stream SET cursor = ?2 WHERE number = ?1")
        findName = try connection.prepare("SELECT name FROM stream WHERE number = ?1")
        lastNumber = try connection.prepare("SELECT max(number) FROM stream")
        removeUnused = try connection.prepare(
            """
            DELETE FROM stream WHERE number < (SELECT max(number) FROM stream) AND number IN (
                SELECT number FROM stream WHERE number > 0 AND records = 0 AND trouble = ''
                ORDER BY cursor DESC LIMIT \(Self.mostStreamsRemoved) OFFSET \(Self.unusedStreamsKept))
            """
        )
        totals = try connection.prepare(
            "SELECT records, bytes, next_sequence, saved_bytes FROM stream WHERE number = 0"
        )
        clearStreams = try connection.prepare(
            "UPDATE stream SET cleared = cleared + records, records = 0, bytes = 0, cursor = ?1 - 1"
        )
        countArrivals = try connection.prepare(
            """
            UPDATE stream SET records = records + ?1, bytes = bytes + ?2, saved = saved + ?1,
                saved_bytes = saved_bytes + ?2, next_sequence = next_sequence + ?1 WHERE number = 0
            """
        )
        countDepartures = try connection.prepare(
            """
            UPDATE stream SET records = records - ?1, bytes = bytes - ?2, delivered = delivered + ?3,
                retried = retried + ?4, evicted = evicted + ?5, expired = expired + ?6, rejected = rejected + ?7,
                exhausted = exhausted + ?8 WHERE number = 0
            """
        )
        countStream = try connection.prepare(
            "UPDATE stream SET records = records + ?2, bytes = bytes + ?3 WHERE number = ?1"
        )
    }

    // MARK: totals

    func ledger() throws(SQLiteError) -> StoreLedger {
        guard try totals.step() else {
            throw SQLiteError.damage("the store's row of totals is gone", action: "reading totals")
        }
        defer { totals.reset() }
        // Damage can leave any number here, and sums of such numbers would trap.
        guard
            StoreTotals.canBe(records: totals.integer(at: 0), bytes: totals.integer(at: 1)),
            StoreTotals.plausible.contains(totals.integer(at: 3)), RecordID.sequences.contains(totals.integer(at: 2))
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

    func write(_ ledger: StoreLedger) throws(SQLiteError) {
        for stream in ledger.streams {
            try countStream.bind(stream.number, at: 1)
            try countStream.bind(Int64(stream.records), at: 2)
            try countStream.bind(Int64(stream.bytes), at: 3)
            try countStream.run()
        }
        if ledger.arrived > 0 {
            try countArrivals.bind(Int64(ledger.arrived), at: 1)
            try countArrivals.bind(Int64(ledger.arrivedBytes), at: 2)
            try countArrivals.run()
        }
        if let departed = ledger.departed { try countDepartures.run(departed) }
    }

    // MARK: streams

    /// So many streams without records are remembered, those that were used last.
    private static let unusedStreamsKept = 1_000
    /// So many rows are removed in one transaction.
    static let mostStreamsRemoved = 1_000

    /// The number of a stream, which gets one if it is new; its first record has the sequence `next`, or a later one.
    func number(of stream: StreamName, next: Int64) throws(SQLiteError) -> Int64 {
        try findStream.bind(stream.rawValue, at: 1)
        if try findStream.step() {
            defer { findStream.reset() }
            return findStream.integer(at: 0)
        }
        let number = try newNumber()
        try addStream.bind(number, at: 1)
        try addStream.bind(stream.rawValue, at: 2)
        // The number may have been another stream's, whose rows are removed but still in their tables.
        try addStream.bind(next - 1, at: 3)
        try addStream.run()
        return number
    }

    /// The number after the last, or, once all have been used, the first that is free again.
    private func newNumber() throws(SQLiteError) -> Int64 {
        defer { lastNumber.reset() }
        let last = try lastNumber.step() ? lastNumber.integer(at: 0) : 0
        if last < RecordID.streams.upperBound { return last + 1 }
        let free = try connection.integer(
            """
            SELECT number + 1 FROM stream AS used WHERE number >= 0
                AND NOT EXISTS (SELECT 1 FROM stream WHERE number = used.number + 1) ORDER BY number LIMIT 1
            """
        )
        guard let free, RecordID.streams.contains(free) else {
            throw SQLiteError.damage("no stream's number is free", action: "saving to a new stream")
        }
        return free
    }

    func name(of stream: Int64) throws(SQLiteError) -> StreamName? {
        try findName.bind(stream, at: 1)
        defer { findName.reset() }
        return try findName.step() ? StreamName(unchecked: findName.text(at: 0)) : nil
    }

    /// Removes rows of streams without records and troubles, but for those used last; returns how many.
    ///
    /// The last number's row stays, so that no other stream gets a number soon after it was given back.
    func removeUnusedStreams() throws(SQLiteError) -> Int {
        try removeUnused.run()
        return connection.changes
    }

    /// Notes a foreign file; false if it was noted before.
    func addImport(_ identity: String) throws(SQLiteError) -> Bool {
        try addForeign.bind(identity, at: 1)
        try addForeign.run()
        return connection.changes == 1
    }

    /// Forgets a foreign file, whose place on disk may be another one's next.
    func removeImport(_ identity: String) throws(SQLiteError) {
        try removeForeign.bind(identity, at: 1)
        try removeForeign.run()
    }

    /// Counts every record as cleared.
    func clear(before end: Int64) throws(SQLiteError) {
        try clearStreams.bind(end, at: 1)
        try clearStreams.run()
    }

    /// The id through which a stream's records are gone; nil for a stream that is not known any more, whose records all are.
    func cursor(of stream: Int64) throws(SQLiteError) -> RecordID? {
        try readCursor.bind(stream, at: 1)
        defer { readCursor.reset() }
        return try readCursor.step() ? RecordID(cursor: readCursor.integer(at: 0), of: stream) : nil
    }

    func moveCursor(to id: RecordID) throws(SQLiteError) {
        try writeCursor.bind(id.stream, at: 1)
        try writeCursor.bind(id.sequence, at: 2)
        try writeCursor.run()
    }
}

extension RecordID {
    /// The id through which a stream's records are gone, from its row. Damage can leave any number there.
    init(cursor: Int64, of stream: Int64) throws(SQLiteError) {
        guard Self.streams.contains(stream), Self.sequences.contains(cursor) else {
            throw SQLiteError.damage("a stream's cursor is out of range", action: "reading a cursor")
        }
        self.init(stream: stream, sequence: cursor)
    }
}

extension SQLiteStatement {
    fileprivate func run(_ departed: StoreLedger.Departures) throws(SQLiteError) {
        try bind(Int64(departed.records), at: 1)
        try bind(Int64(departed.bytes), at: 2)
        try bind(Int64(departed.delivered), at: 3)
        try bind(Int64(departed.retried), at: 4)
        try bind(Int64(departed.evicted), at: 5)
        try bind(Int64(departed.expired), at: 6)
        try bind(Int64(departed.rejected), at: 7)
        try bind(Int64(departed.exhausted), at: 8)
        try run()
    }

    /// Binds a range of ids at 1 and 2.
    func bind(from first: RecordID, through last: RecordID) throws(SQLiteError) {
        try bind(first.rawValue, at: 1)
        try bind(last.rawValue, at: 2)
    }
}
