import RecorderSQLite

/// Checks every waiting record against its checksum, and all counts against the records.
///
/// Records that were delivered or discarded stay in the file until their segment is emptied. They are not checked.
struct RecordVerification {
    /// The row of one stream.
    private struct Stream {
        let number: Int64
        let name: String
        let records: Int64
        let cursor: Int64
        /// How many of its records were ever saved without a key, and how many of these before the current key source.
        let numbered: Int64
        let numberedBefore: Int64
    }

    /// The row of the store as a whole.
    private struct Totals {
        let records: Int64
        let bytes: Int64
        let saved: Int64
        let left: Int64
        let nextSequence: Int64
        let keySource: Int64
    }

    /// What was read of one stream.
    private struct Found {
        var records: Int64 = 0
        var bytes: Int64 = 0
        var altered: Int64 = 0
        var misplaced = 0
        var lastNumber: Int64?

        mutating func add(_ record: ScannedRecord) {
            records += 1
            bytes += Int64(record.storedBytes)
            if !record.isUnaltered { altered += 1 }
        }
    }

    private let connection: SQLiteConnection
    private let totals: Totals
    /// Whether the streams say at which number the key source changed: from format 4 on.
    private let knowsKeySources: Bool
    private var segments: [(segment: Segment, sequences: Range<Int64>)] = []
    /// How many records of each segment wait, by the segment's first sequence.
    private var inSegments: [Int64: Int64] = [:]
    private var all = Found()
    private var kept: Int64 = 0

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        knowsKeySources = try connection.integer("PRAGMA user_version") ?? 0 >= 4
        let row = try connection.prepare(
            """
            SELECT records, bytes, saved, delivered + evicted + expired + rejected + exhausted + cleared, next_sequence,
                key_source
            FROM stream WHERE number = 0
            """
        )
        guard try row.step() else { throw .damage("the store's row of totals is missing", action: "verifying") }
        totals = Totals(
            records: row.integer(at: 0),
            bytes: row.integer(at: 1),
            saved: row.integer(at: 2),
            left: row.integer(at: 3),
            nextSequence: row.integer(at: 4),
            keySource: row.integer(at: 5)
        )
        guard RecordID.sequences.contains(totals.nextSequence) else {
            throw .damage("the store's next sequence is out of range", action: "verifying")
        }
    }

    mutating func run(_ result: inout StoreVerification) throws(SQLiteError) {
        try readSegments(&result)
        var streams = 0
        let rows = try connection.prepare(
            "SELECT number, name, records, cursor, numbered, key_source FROM stream WHERE number > 0 ORDER BY number"
        )
        while try rows.step() {
            streams += 1
            let stream = Stream(
                number: rows.integer(at: 0),
                name: rows.text(at: 1),
                records: rows.integer(at: 2),
                cursor: rows.integer(at: 3),
                numbered: rows.integer(at: 4),
                numberedBefore: rows.integer(at: 5)
            )
            try check(stream, &result)
        }
        try checkTotals(&result)
        result.readable = .init(records: Int(all.records - all.altered), bytes: Int(all.bytes), streams: streams)
    }

    private mutating func readSegments(_ result: inout StoreVerification) throws(SQLiteError) {
        let rows = try connection.prepare(StoreSegments.query)
        var found: [Segment] = []
        while try rows.step() { found.append(try Segment(rows)) }
        segments = try Segment.ranges(of: found, before: totals.nextSequence)
        let tables = Set(found.map(\.table))
        let names = try connection.prepare("SELECT name FROM sqlite_schema WHERE \(Segment.isTable)")
        while try names.step() {
            let name = names.text(at: 0)
            guard !tables.contains(name), name.utf8.allSatisfy(StreamName.isNameCharacter) else { continue }
            if try connection.integer("SELECT 1 FROM \(name) LIMIT 1") != nil {
                result.add("\(name) has records, but its segment is not listed")
            }
        }
    }

    // MARK: streams

    private mutating func check(_ stream: Stream, _ result: inout StoreVerification) throws(SQLiteError) {
        let title = "stream \(stream.name)"
        guard StreamName(stored: stream.name) != nil, RecordID.streams.contains(stream.number),
            0..<totals.nextSequence ~= stream.cursor
        else { return result.add("\(title): its name, number or cursor is invalid") }
        var found = Found()
        let cursor = RecordID(stream: stream.number, sequence: stream.cursor)
        try result.check("\(title), table \(KeptRecords.table)") { (_) throws(SQLiteError) in
            let first = RecordID(stream: stream.number, sequence: 0)
            let keptRecords = RecordScan(keptIn: connection)
            _ = try keptRecords.forEach(from: first, through: cursor) { (record) throws(SQLiteError) in
                found.add(record)
                kept += 1
                return true
            }
        }
        for (segment, sequences) in segments where stream.cursor < sequences.upperBound - 1 {
            try result.check("\(title), table \(segment.table)") { (_) throws(SQLiteError) in
                try read(segment, sequences, after: cursor, of: stream, into: &found)
            }
        }
        report(found, of: stream, title: title, &result)
        all.records += found.records
        all.bytes += found.bytes
        all.altered += found.altered
    }

    private mutating func read(
        _ segment: Segment,
        _ sequences: Range<Int64>,
        after cursor: RecordID,
        of stream: Stream,
        into found: inout Found
    ) throws(SQLiteError) {
        let isCurrent = segment.keySource?.stored == totals.keySource
        let last = RecordID(lastOf: stream.number)
        _ = try RecordScan(segment, connection).forEach(from: cursor.next, through: last) {
            (record) throws(SQLiteError) in
            found.add(record)
            inSegments[segment.first, default: 0] += 1
            if !sequences.contains(record.id.sequence) { found.misplaced += 1 }
            if let number = record.number {
                found.lastNumber = number
                // A store that was upgraded from format 3 has earlier numbers under the current key source too.
                if knowsKeySources, !isCurrent, number >= stream.numberedBefore { found.misplaced += 1 }
            }
            return true
        }
    }

    private func report(_ found: Found, of stream: Stream, title: String, _ result: inout StoreVerification) {
        if found.altered > 0 {
            result.add("\(title): records altered, with a wrong checksum: \(found.altered) of \(stream.records)")
        }
        if found.records != stream.records {
            result.add("\(title): records counted: \(stream.records); found: \(found.records)")
        }
        if found.misplaced > 0 {
            result.add("\(title): records in a place that contradicts their numbers: \(found.misplaced)")
        }
        if let last = found.lastNumber, last + 1 != stream.numbered {
            result.add(
                "\(title): records ever saved without a key: \(stream.numbered); by the last one's number: \(last + 1)"
            )
        }
    }

    // MARK: the store

    private mutating func checkTotals(_ result: inout StoreVerification) throws(SQLiteError) {
        let keptRows = try connection.integer("SELECT count(*) FROM \(KeptRecords.table)") ?? 0
        if keptRows != kept {
            result.add("table \(KeptRecords.table): records: \(keptRows); of known streams: \(kept)")
        }
        for (segment, sequences) in segments {
            let expected = Int64(sequences.count) - segment.removed
            let found = inSegments[segment.first] ?? 0
            if found != expected {
                result.add("table \(segment.table): records counted: \(expected); found: \(found)")
            }
        }
        if all.records != totals.records {
            result.add("all streams: records counted: \(totals.records); found: \(all.records)")
        }
        if all.records == totals.records, all.bytes != totals.bytes {
            result.add("all streams: bytes counted: \(totals.bytes); found: \(all.bytes)")
        }
        if totals.saved != totals.records &+ totals.left {
            result.add(
                "all streams: records saved: \(totals.saved); stored, delivered, discarded or cleared: \(totals.records &+ totals.left)"
            )
        }
    }
}
