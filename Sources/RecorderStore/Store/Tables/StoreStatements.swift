import RecorderSQLite

/// The writer's statements on streams and totals; those of each save and settle are prepared once.
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
    private let readNumbered: SQLiteStatement
    private let connection: SQLiteConnection
    private var addedStreams = 0

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        addStream = try connection.prepare(
            "INSERT INTO stream (number, name, cursor, numbered, numbered_before) VALUES (?1, ?2, ?3, ?4, ?4)"
        )
        findStream = try connection.prepare("SELECT number FROM stream WHERE name = ?1")
        readCursor = try connection.prepare(Self.cursorQuery)
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
                exhausted = exhausted + ?8, entries = entries + ?9, cleared = cleared + ?10 WHERE number = 0
            """
        )
        countStream = try connection.prepare(
            """
            UPDATE stream SET records = records + ?2, bytes = bytes + ?3, numbered = numbered + ?4,
                unnamed = unnamed + ?5 WHERE number = ?1
            """
        )
        readNumbered = try connection.prepare("SELECT numbered FROM stream WHERE number = ?1")
    }

    // MARK: totals

    /// The query of a stream's cursor.
    static let cursorQuery = "SELECT cursor FROM stream WHERE number = ?1"

    func ledger() throws(SQLiteError) -> StoreLedger {
        guard try totals.step() else {
            throw .totalsMissing
        }
        defer { totals.reset() }
        // Corruption can leave any number here, and sums of such numbers would trap.
        guard
            StoreTotals.isPlausible(records: totals.integer(at: 0), bytes: totals.integer(at: 1)),
            StoreTotals.plausible.contains(totals.integer(at: 3)), RecordID.sequences.contains(totals.integer(at: 2))
        else {
            throw SQLiteError.contradiction("the store's totals are out of range", action: "reading totals")
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
            try countStream.bind(Int64(stream.numbered), at: 4)
            try countStream.bind(Int64(stream.unnamed), at: 5)
            try countStream.run()
        }
        if ledger.arrived > 0 {
            try countArrivals.bind(Int64(ledger.arrived), at: 1)
            try countArrivals.bind(Int64(ledger.arrivedBytes), at: 2)
            try countArrivals.run()
        }
        if let departed = ledger.departed { try countDepartures.run(binding: departed) }
    }

    // MARK: streams

    /// How many streams have got a row since this was called last.
    func takeAddedStreams() -> Int {
        defer { addedStreams = 0 }
        return addedStreams
    }

    /// The number of streams without records whose rows are kept: those used last.
    private static let unusedStreamsKept = 1_000
    /// The number of rows removed in one transaction, at most.
    static let mostStreamsRemoved = 1_000

    /// The number of a stream; a new stream gets one. Its first record has the sequence `next` or a later one.
    func number(of stream: StreamName, next: Int64) throws(SQLiteError) -> Int64 {
        if let known = try knownNumber(of: stream) { return known }
        let (number, isReused) = try newNumber()
        try addStream.bind(number, at: 1)
        try addStream.bind(stream.rawValue, at: 2)
        // The number may have been another stream's, whose dead rows are still in their tables.
        try addStream.bind(next - 1, at: 3)
        // Its numbered keys must not be those of the earlier stream, which had fewer records than the store has sequences.
        try addStream.bind(isReused ? next : 0, at: 4)
        try addStream.run()
        addedStreams += 1
        return number
    }

    /// The number after the last one, or, once all have been used, the first free one.
    private func newNumber() throws(SQLiteError) -> (number: Int64, isReused: Bool) {
        defer { lastNumber.reset() }
        let last = try lastNumber.step() ? lastNumber.integer(at: 0) : 0
        if last < RecordID.streams.upperBound { return (last + 1, false) }
        let free = try connection.integer(
            """
            SELECT number + 1 FROM stream AS used WHERE number >= 0
                AND NOT EXISTS (SELECT 1 FROM stream WHERE number = used.number + 1) ORDER BY number LIMIT 1
            """
        )
        guard let free, RecordID.streams.contains(free) else {
            throw SQLiteError.contradiction("no stream number is free", action: "saving to a new stream")
        }
        return (free, true)
    }

    /// How many records without a key were ever saved to a stream.
    func numbered(of stream: Int64) throws(SQLiteError) -> Int64 {
        try readNumbered.bind(stream, at: 1)
        defer { readNumbered.reset() }
        guard try readNumbered.step(), NumberedKey.numbers.contains(readNumbered.integer(at: 0)) else {
            throw SQLiteError.contradiction("a stream's count of numbered records is out of range", action: "saving")
        }
        return readNumbered.integer(at: 0)
    }

    /// What each stream with records takes, as of the last commit.
    func uses() throws(SQLiteError) -> [Int64: RecordAmount] {
        let rows = try connection.prepare("SELECT number, records, bytes FROM stream WHERE number > 0 AND records > 0")
        var uses: [Int64: RecordAmount] = [:]
        while try rows.step() {
            uses[rows.integer(at: 0)] = RecordAmount(
                records: try rows.count(at: 1),
                bytes: StoreTotals.streamBytes(rows.integer(at: 2))
            )
        }
        return uses
    }

    /// The number of a stream; nil if it has none.
    func knownNumber(of stream: StreamName) throws(SQLiteError) -> Int64? {
        try findStream.bind(stream.rawValue, at: 1)
        defer { findStream.reset() }
        return try findStream.step() ? findStream.integer(at: 0) : nil
    }

    func name(of stream: Int64) throws(SQLiteError) -> StreamName? {
        try findName.bind(stream, at: 1)
        defer { findName.reset() }
        return try findName.step() ? StreamName(unchecked: findName.text(at: 0)) : nil
    }

    /// Removes rows of streams without records and errors, except those used last; returns how many.
    ///
    /// The row with the last number stays, so that no number is reused soon after it became free.
    func removeUnusedStreams() throws(SQLiteError) -> Int {
        try removeUnused.run()
        return connection.changes
    }

    /// Notes the file of an import; false if it was noted before.
    func addImport(_ fileID: String) throws(SQLiteError) -> Bool {
        let note = try connection.prepare("INSERT OR IGNORE INTO imported (file) VALUES (?1)")
        try note.bind(fileID, at: 1)
        try note.run()
        return connection.changes == 1
    }

    /// Removes the note of a file; another file may get the same identity later.
    func removeImport(_ fileID: String) throws(SQLiteError) {
        let note = try connection.prepare("DELETE FROM imported WHERE file = ?1")
        try note.bind(fileID, at: 1)
        try note.run()
    }

    /// The id through which a stream's records are deleted; nil if the stream has no row, because all are deleted.
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
    /// The id through which a stream's records are deleted, from its row. Corruption can leave any number there.
    init(cursor: Int64, of stream: Int64) throws(SQLiteError) {
        guard Self.streams.contains(stream) else { throw .invalidStream }
        guard Self.sequences.contains(cursor) else {
            throw SQLiteError.contradiction("a stream's cursor is out of range", action: "reading a cursor")
        }
        self.init(stream: stream, sequence: cursor)
    }
}

extension SQLiteStatement {
    fileprivate func run(binding departed: StoreLedger.Departures) throws(SQLiteError) {
        try bind(Int64(departed.records), at: 1)
        try bind(Int64(departed.bytes), at: 2)
        try bind(Int64(departed.delivered), at: 3)
        try bind(Int64(departed.retried), at: 4)
        try bind(Int64(departed.evicted), at: 5)
        try bind(Int64(departed.expired), at: 6)
        try bind(Int64(departed.rejected), at: 7)
        try bind(Int64(departed.exhausted), at: 8)
        try bind(Int64(departed.entries), at: 9)
        try bind(Int64(departed.cleared), at: 10)
        try run()
    }

    /// Binds a range of ids at 1 and 2.
    func bind(from first: RecordID, through last: RecordID) throws(SQLiteError) {
        try bind(first.rawValue, at: 1)
        try bind(last.rawValue, at: 2)
    }
}
