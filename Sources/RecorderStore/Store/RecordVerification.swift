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
        let bytes: Int64
        let cursor: Int64
        /// How many of its records were ever saved without a key, and how many of these before the current key source.
        let numbered: Int64
        let numberedBefore: Int64
    }

    /// What was read of one stream.
    private struct Found {
        var records: Int64 = 0
        var bytes: Int64 = 0
        var altered: Int64 = 0
        /// Records outside of their segment's range.
        var misplaced = 0
        /// Records whose number is of another key source than their segment's.
        var misnumbered = 0
        var lastNumber: Int64?

        mutating func add(_ record: ScannedRecord) {
            records += 1
            bytes += Int64(record.entry.storedBytes)
            if !record.isUnaltered { altered += 1 }
        }
    }

    private let connection: SQLiteConnection
    private let totals: StoreCounts.Totals
    private var segments: [(segment: Segment, sequences: Range<Int64>)] = []
    /// How many records of each segment wait, by the segment's first sequence.
    private var inSegments: [Int64: Int64] = [:]
    private var all = Found()
    private var kept: Int64 = 0
    /// The records that the streams count.
    private var countedInStreams: Int64 = 0
    private var counts: StoreCounts

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        totals = try StoreCounts.Totals(connection)
        counts = StoreCounts()
    }

    mutating func run(_ result: inout StoreVerification) throws(SQLiteError) {
        try readSegments(&result)
        var streams = 0
        let rows = try connection.prepare(
            """
            SELECT number, name, records, bytes, cursor, numbered, numbered_before FROM stream WHERE number > 0
            ORDER BY number
            """
        )
        while try rows.step() {
            streams += 1
            let stream = Stream(
                number: rows.integer(at: 0),
                name: rows.text(at: 1),
                records: rows.integer(at: 2),
                bytes: rows.integer(at: 3),
                cursor: rows.integer(at: 4),
                numbered: rows.integer(at: 5),
                numberedBefore: rows.integer(at: totals.keySource == 0 ? 5 : 6)
            )
            try check(stream, &result)
        }
        try checkTotals(&result)
        result.readable = .init(records: Int(all.records - all.altered), bytes: Int(all.bytes), streams: streams)
        counts.finish(totals, records: all.records, bytes: all.bytes)
        result.counts = counts
    }

    // MARK: segments

    private mutating func readSegments(_ result: inout StoreVerification) throws(SQLiteError) {
        let rows = try connection.prepare(StoreSegments.query)
        var found: [Segment] = []
        while try rows.step() { found.append(try Segment(uncounted: rows)) }
        let names = try connection.prepare("SELECT name FROM sqlite_schema WHERE \(Segment.isTable)")
        var tables: Set<String> = []
        while try names.step() { tables.insert(names.text(at: 0)) }
        for segment in found where !tables.contains(segment.table) {
            result.addDamage("table \(segment.table) is missing")
        }
        for name in tables.subtracting(found.map(\.table)).sorted() {
            if try connection.integer("SELECT 1 FROM \(name.quotedForSQL) LIMIT 1") != nil {
                result.addDamage("\(name) has records, but its segment is not listed")
            }
        }
        let listed = found.filter { tables.contains($0.table) }
        try checkSequences(in: listed, &result)
        let ends = listed.dropFirst().map(\.first) + [counts.nextSequence]
        segments = zip(listed, ends).map { ($0, $0.first..<$1) }
    }

    /// Checks that the next sequence is after all those in use.
    private mutating func checkSequences(
        in listed: [Segment],
        _ result: inout StoreVerification
    ) throws(SQLiteError) {
        var last = listed.last?.first ?? 0
        for table in listed.map(\.table) + [KeptRecords.table] {
            last = max(last, try connection.integer("SELECT max(\(StoreSchema.sequence)) FROM \(table)") ?? 0)
        }
        let isRight = totals.nextSequence > last && RecordID.sequences.contains(totals.nextSequence)
        counts.nextSequence = isRight ? totals.nextSequence : last + 1
        if !isRight { result.add("the store's next sequence is \(totals.nextSequence); the last one in use: \(last)") }
    }

    // MARK: streams

    private mutating func check(_ stream: Stream, _ result: inout StoreVerification) throws(SQLiteError) {
        let title = "stream \(stream.name)"
        guard StreamName(stored: stream.name) != nil, RecordID.streams.contains(stream.number) else {
            return result.addDamage("\(title): its name or number is invalid")
        }
        let cursor = try cursor(of: stream, title: title, &result)
        var found = Found()
        try result.check("\(title), table \(KeptRecords.table)") { (_) throws(SQLiteError) in
            let first = RecordID(stream: stream.number, sequence: 0)
            let keptRecords = RecordScan(.kept, connection)
            _ = try keptRecords.forEach(from: first, through: cursor) { (record) throws(SQLiteError) in
                found.add(record)
                kept += 1
                return true
            }
        }
        for (segment, sequences) in segments where cursor.sequence < sequences.upperBound - 1 {
            try result.check("\(title), table \(segment.table)") { (_) throws(SQLiteError) in
                try read(segment, sequences, after: cursor, of: stream, into: &found)
            }
        }
        report(found, of: stream, title: title, &result)
        all.records += found.records
        all.bytes += found.bytes
        all.altered += found.altered
        countedInStreams &+= stream.records
        let numbered = NumberedKey.numbers.contains(stream.numbered) ? stream.numbered : 0
        counts.streams.append(
            .init(
                number: stream.number,
                records: found.records,
                bytes: found.bytes,
                cursor: cursor.sequence,
                numbered: found.lastNumber.map { $0 + 1 } ?? numbered
            )
        )
    }

    /// The id through which a stream's records are deleted. If that is unknown, no record after the last kept one is: some may be
    /// sent again.
    private func cursor(
        of stream: Stream,
        title: String,
        _ result: inout StoreVerification
    ) throws(SQLiteError) -> RecordID {
        if 0..<counts.nextSequence ~= stream.cursor {
            return RecordID(stream: stream.number, sequence: stream.cursor)
        }
        result.add("\(title): its cursor is \(stream.cursor), which is no sequence of the store")
        let rows = try connection.prepare("SELECT max(id) FROM \(KeptRecords.table) WHERE id BETWEEN ?1 AND ?2")
        try rows.bind(from: RecordID(stream: stream.number, sequence: 0), through: RecordID(lastOf: stream.number))
        let first = RecordID(stream: stream.number, sequence: 0)
        return try rows.step() && !rows.isNull(at: 0) ? RecordID(rawValue: rows.integer(at: 0)) : first
    }

    private mutating func read(
        _ segment: Segment,
        _ sequences: Range<Int64>,
        after cursor: RecordID,
        of stream: Stream,
        into found: inout Found
    ) throws(SQLiteError) {
        let isCurrent = segment.keySource.stored == totals.keySource
        let last = RecordID(lastOf: stream.number)
        _ = try RecordScan(BlockTable(segment), connection).forEach(from: cursor.next, through: last) {
            (record) throws(SQLiteError) in
            found.add(record)
            inSegments[segment.first, default: 0] += 1
            if !sequences.contains(record.id.sequence) { found.misplaced += 1 }
            if case .numbered(let number) = record.entry.key {
                found.lastNumber = number
                if !isCurrent, number >= stream.numberedBefore { found.misnumbered += 1 }
            }
            return true
        }
    }

    private func report(_ found: Found, of stream: Stream, title: String, _ result: inout StoreVerification) {
        if found.altered > 0 {
            result.addDamage("\(title): records altered, with a wrong checksum: \(found.altered) of \(stream.records)")
        }
        if found.records != stream.records {
            result.add("\(title): records counted: \(stream.records); found: \(found.records)")
        } else if found.bytes != stream.bytes {
            result.add("\(title): bytes counted: \(stream.bytes); found: \(found.bytes)")
        }
        if found.misplaced > 0 {
            result.addDamage("\(title): records in a place that contradicts their sequences: \(found.misplaced)")
        }
        if found.misnumbered > 0 {
            result.add("\(title): records in a place that contradicts their numbers: \(found.misnumbered)")
        }
        if let last = found.lastNumber, last + 1 != stream.numbered {
            result.add(
                "\(title): records ever saved without a key: \(stream.numbered); by the last one's number: \(last + 1)"
            )
        } else if !NumberedKey.numbers.contains(stream.numbered) {
            result.add("\(title): records ever saved without a key: \(stream.numbered)")
        }
    }

    // MARK: the store

    private mutating func checkTotals(_ result: inout StoreVerification) throws(SQLiteError) {
        let keptRows = try connection.integer("SELECT count(*) FROM \(KeptRecords.table)") ?? 0
        if keptRows != kept {
            result.addDamage("table \(KeptRecords.table): records: \(keptRows); of known streams: \(kept)")
        }
        var countedInSegments = keptRows
        for (segment, sequences) in segments {
            let expected = Int64(sequences.count) &- segment.removed
            let found = inSegments[segment.first] ?? 0
            countedInSegments &+= expected
            if found != expected || !RecordID.sequences.contains(segment.removed) {
                result.add("table \(segment.table): records counted: \(expected); found: \(found)")
            }
            if segment.firstBytes < 0 || segment.firstBytes > totals.savedBytes {
                result.add("table \(segment.table): bytes ever saved when it began: \(segment.firstBytes)")
            }
            counts.segments.append(.init(segment: segment, live: found))
        }
        if all.records != totals.records {
            result.add("all streams: records counted: \(totals.records); found: \(all.records)")
        }
        if all.records == totals.records, all.bytes != totals.bytes {
            result.add("all streams: bytes counted: \(totals.bytes); found: \(all.bytes)")
        }
        for problem in totals.problems { result.add("all streams: \(problem)") }
        checkMissing(counted: [countedInStreams, countedInSegments, totals.records], &result)
    }

    /// Records are missing, which no fault of a count explains, if two counts that are kept apart agree that there were more.
    private func checkMissing(counted: [Int64], _ result: inout StoreVerification) {
        for count in counted where count > all.records && counted.count(where: { $0 == count }) > 1 {
            result.addDamage("records missing: \(count &- all.records)")
        }
    }
}
