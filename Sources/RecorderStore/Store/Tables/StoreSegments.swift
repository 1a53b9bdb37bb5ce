import RecorderSQLite

/// The segments of a store and their tables. Belongs to the writer; every method runs inside its transaction.
///
/// Records are removed by moving their stream's cursor, which changes no row. When the last live record of a segment is
/// removed, its whole table is emptied, which writes a few pages: deleting the rows one by one would cost as much as storing
/// them did. The empty table is dropped later, with others: after a change of the schema every connection has to prepare its
/// statements again.
final class StoreSegments {
    private let connection: SQLiteConnection
    private let newest: SQLiteStatement
    private let twoFrom: SQLiteStatement
    private let containing: SQLiteStatement
    private let all: SQLiteStatement
    private let add: SQLiteStatement
    private let countRemoved: SQLiteStatement
    private let widenEarlier: SQLiteStatement
    private let removeRow: SQLiteStatement
    private let keySources: KeySources
    private var tables: [Int64: SegmentTable] = [:]
    /// The newest segment and the blocks that are stored into it, until another process changes the file.
    private var current: (segment: Segment, blocks: NewBlocks)?

    /// The size of a segment is this part of the store, so that dead rows stay a small part of the file,
    private static let storeFraction: Int64 = 16
    /// within these bounds, in bytes, which keep the tables few and the smallest store small.
    private static let smallestSegment: Int64 = 512 * 1_024
    private static let largestSegment: Int64 = 16 * 1_024 * 1_024
    /// The most tables dropped in one commit; a full disk's reserve has room for that many.
    private static let mostDropped = 16

    /// All segments in order.
    static let query = "SELECT \(Segment.columns) FROM segment ORDER BY first_sequence"

    init(_ connection: SQLiteConnection, keySources: KeySources) throws(SQLiteError) {
        self.connection = connection
        self.keySources = keySources
        all = try connection.prepare(Self.query)
        newest = try connection.prepare("\(Self.query) DESC LIMIT 1")
        twoFrom = try connection.prepare(
            "SELECT \(Segment.columns) FROM segment WHERE first_sequence >= ?1 ORDER BY first_sequence LIMIT 2"
        )
        containing = try connection.prepare("SELECT max(first_sequence) FROM segment WHERE first_sequence <= ?1")
        add = try connection.prepare(
            "INSERT INTO segment (first_sequence, first_bytes, key_source) VALUES (?1, ?2, ?3)"
        )
        countRemoved = try connection.prepare("UPDATE segment SET removed = ?2 WHERE first_sequence = ?1")
        widenEarlier = try connection.prepare(
            """
            UPDATE segment SET removed = removed + ?2
            WHERE first_sequence = (SELECT max(first_sequence) FROM segment WHERE first_sequence < ?1)
            """
        )
        removeRow = try connection.prepare("DELETE FROM segment WHERE first_sequence = ?1")
    }

    /// Called when another process may have changed the file, and after a rollback: prepared statements may be of tables that do
    /// not exist.
    func forget() {
        current = nil
        tables = [:]
    }

    /// Where the next records are stored: the blocks of the newest segment, or, if that is full, of a new one. `began` is called
    /// for a new one. Ask again when `savedBytes` of the ledger has reached `end`.
    func blocksForNextRecord(
        _ ledger: StoreLedger,
        began: () -> Void
    ) throws(SQLiteError) -> (blocks: NewBlocks, end: Int64) {
        if current == nil, let newest = try newestSegment() { try useForNextRecord(newest, ledger) }
        if let (newest, blocks) = current {
            guard newest.first + newest.removed <= ledger.nextSequence else {
                throw SQLiteError.contradiction("the next sequence is an old one", action: "saving")
            }
            let end = newest.firstBytes + Self.size(in: ledger)
            if ledger.savedBytes < end { return (blocks, end) }
        }
        return (try begin(at: ledger, began), ledger.savedBytes + Self.size(in: ledger))
    }

    /// The size of a segment that is full, in bytes.
    private static func size(in ledger: StoreLedger) -> Int64 {
        min(max(Int64(ledger.bytes) / storeFraction, smallestSegment), largestSegment)
    }

    private func begin(at ledger: StoreLedger, _ began: () -> Void) throws(SQLiteError) -> NewBlocks {
        try storeBlocks()
        let source = try keySources.current()
        let segment = Segment(
            first: ledger.nextSequence,
            firstBytes: ledger.savedBytes,
            removed: 0,
            keySource: source
        )
        try dropEmptied()
        try connection.execute(StoreSchema.blockTable(segment.table))
        try add.bind(segment.first, at: 1)
        try add.bind(segment.firstBytes, at: 2)
        try add.bind(source.stored, at: 3)
        try add.run()
        began()
        let blocks = try NewBlocks(in: segment.table, connection)
        current = (segment, blocks)
        return blocks
    }

    /// Continues a segment, unless its numbered keys are those of another file.
    private func useForNextRecord(_ segment: Segment, _ ledger: StoreLedger) throws(SQLiteError) {
        guard try keySources.current() == segment.keySource else {
            let later = "\(StoreSchema.sequence) >= \(ledger.nextSequence)"
            guard try connection.integer("SELECT 1 FROM \(segment.table) WHERE \(later) LIMIT 1") == nil else {
                throw SQLiteError.contradiction("the next sequence is in use", action: "saving")
            }
            return
        }
        current = (segment, try NewBlocks(in: segment.table, connection))
    }

    /// Stores the blocks that the current transaction has filled; call it before anything reads the newest segment.
    func storeBlocks() throws(SQLiteError) {
        try current?.blocks.store()
    }

    /// The oldest segment and its range of sequences. It has a live record: a segment without any is dropped.
    func oldest(before end: Int64) throws(SQLiteError) -> (segment: Segment, sequences: Range<Int64>)? {
        try range(from: 0, before: end)
    }

    /// The segment of a sequence and its range; the next one if it was in none that exists, and nil if there is none.
    func range(at sequence: Int64, before end: Int64) throws(SQLiteError) -> (
        segment: Segment, sequences: Range<Int64>
    )? {
        try containing.bind(sequence, at: 1)
        defer { containing.reset() }
        return try range(from: try containing.step() ? containing.integer(at: 0) : 0, before: end)
    }

    /// The first segment that begins with this sequence or a later one.
    private func range(
        from first: Int64,
        before end: Int64
    ) throws(SQLiteError) -> (segment: Segment, sequences: Range<Int64>)? {
        try twoFrom.bind(first, at: 1)
        defer { twoFrom.reset() }
        guard try twoFrom.step() else { return nil }
        let segment = try Segment(twoFrom)
        return try Segment.ranges(of: [segment], before: try twoFrom.step() ? twoFrom.integer(at: 0) : end).first
    }

    /// Whether records are saved to this segment, as long as it is not full.
    func isNewest(_ segment: Segment) throws(SQLiteError) -> Bool {
        if let current { return current.segment.first == segment.first }
        return try newestSegment()?.first == segment.first
    }

    /// All segments, oldest first.
    func list() throws(SQLiteError) -> [Segment] {
        var found: [Segment] = []
        while try all.step() { found.append(try Segment(all)) }
        return found
    }

    func table(of segment: Segment) throws(SQLiteError) -> SegmentTable {
        if let known = tables[segment.first] { return known }
        // Batches come from one or two segments; keeping more statements would only use memory.
        if tables.count >= 8 { tables = [:] }
        let table = try SegmentTable(segment, connection)
        tables[segment.first] = table
        return table
    }

    /// Counts removed records, and empties the table of a segment that has none left. Its range ends before `end`.
    func countRemoved(_ count: Int, from segment: Segment, before end: Int64) throws(SQLiteError) {
        let removed = segment.removed + Int64(count)
        if removed == end - segment.first {
            try empty(segment)
            // The range of the segment before it now ends where its own did. That one has live records, of a slower stream,
            // and would never be emptied if these did not count as removed from it.
            try widenEarlier.bind(segment.first, at: 1)
            try widenEarlier.bind(removed, at: 2)
            try widenEarlier.run()
        } else {
            try countRemoved.bind(segment.first, at: 1)
            try countRemoved.bind(removed, at: 2)
            try countRemoved.run()
        }
    }

    /// Removes a segment and every record of its table. The table stays until `dropEmptied`.
    func empty(_ segment: Segment) throws(SQLiteError) {
        current = nil
        tables[segment.first] = nil
        // This reads every page of the table once; caching them would only use memory.
        try connection.execute(
            "PRAGMA cache_size = -256; DELETE FROM \(segment.table); PRAGMA cache_size = \(StoreSchema.cacheSize)"
        )
        try removeRow.bind(segment.first, at: 1)
        try removeRow.run()
    }

    /// Drops some tables whose segments were removed; each takes a page of the log. Returns whether there may be more.
    @discardableResult
    func dropEmptied() throws(SQLiteError) -> Bool {
        let emptied = try connection.prepare(
            """
            SELECT name, CAST(substr(name, instr(name, '_') + 1) AS INTEGER) AS first FROM sqlite_schema
            WHERE \(Segment.isTable) AND name = substr(name, 1, instr(name, '_')) || first
                AND first NOT IN (SELECT first_sequence FROM segment)
            LIMIT \(Self.mostDropped)
            """
        )
        var tables: [String] = []
        while try emptied.step() { tables.append(emptied.text(at: 0)) }
        for table in tables {
            guard try connection.integer("SELECT 1 FROM \(table) LIMIT 1") == nil else {
                throw SQLiteError.contradiction("\(table) has records and no segment", action: "dropping empty tables")
            }
            try connection.execute("DROP TABLE \(table)")
        }
        return tables.count == Self.mostDropped
    }

    private func newestSegment() throws(SQLiteError) -> Segment? {
        guard try newest.step() else { return nil }
        defer { newest.reset() }
        return try Segment(newest)
    }
}

/// Operations on the records of one stream, whichever segments they are in. `end` is the next sequence.
extension StoreSegments {
    /// Moves the records of a stream after an id and through another one to the kept ones.
    func move(
        after: RecordID,
        through last: RecordID,
        to kept: KeptRecords,
        end: Int64
    ) throws(SQLiteError) {
        guard after < last else { return }
        for range in try ranges(from: after.sequence + 1, through: last.sequence, end: end) {
            let count = try table(of: range.segment).copy(after: after, through: last, to: kept)
            if count > 0 { try countRemoved(count, from: range.segment, before: range.sequences.upperBound) }
        }
    }

    /// Counts the records of a stream after an id and through another one as removed. The caller moves the cursor.
    func remove(
        after: RecordID,
        through last: RecordID,
        end: Int64
    ) throws(SQLiteError) -> RecordAmount {
        var removed = RecordAmount()
        guard after < last else { return removed }
        for range in try ranges(from: after.sequence + 1, through: last.sequence, end: end) {
            let amount = try table(of: range.segment).amount(after: after, through: last)
            guard amount.records > 0 else { continue }
            try countRemoved(amount.records, from: range.segment, before: range.sequences.upperBound)
            removed += amount
        }
        return removed
    }

    /// Counts these records, given in order, as removed from their segments.
    func countRemoved(_ ids: some BidirectionalCollection<RecordID>, end: Int64) throws(SQLiteError) {
        guard let first = ids.first?.sequence, let last = ids.last?.sequence else { return }
        for range in try ranges(from: first, through: last, end: end) {
            let sequences = range.sequences
            // Usually all are in one segment.
            let count =
                sequences.contains(first) && sequences.contains(last)
                ? ids.count
                : ids.count { sequences.contains($0.sequence) }
            if count > 0 { try countRemoved(count, from: range.segment, before: sequences.upperBound) }
        }
    }

    /// The segments that contain any of these sequences.
    func ranges(
        from first: Int64,
        through last: Int64,
        end: Int64
    ) throws(SQLiteError) -> [(segment: Segment, sequences: Range<Int64>)] {
        try Segment.ranges(of: try list(), before: end).filter {
            $0.sequences.lowerBound <= last && first < $0.sequences.upperBound
        }
    }
}

/// The blocks that a transaction fills for the newest segment: one of each stream that it saves to.
final class NewBlocks {
    private let insert: SQLiteStatement
    /// Whether there is any block from ?1 through ?2.
    private let any: SQLiteStatement
    private var blocks: [Int64: BlockBuilder] = [:]
    /// The block that was filled last, which is not one of `blocks`. Often it is the only one.
    private var last: BlockBuilder?
    /// Streams whose stored blocks are known to be older than what follows.
    private var checked: Set<Int64> = []

    /// Blocks whose memory is kept for the next transaction.
    private static let mostIdle = 4

    init(in table: String, _ connection: SQLiteConnection) throws(SQLiteError) {
        insert = try connection.prepare(BlockBuilder.insertion(into: table))
        any = try connection.prepare("SELECT 1 FROM \(table) WHERE id BETWEEN ?1 AND ?2 LIMIT 1")
    }

    /// The block of a stream, which the caller puts back.
    func take(of stream: Int64) -> BlockBuilder {
        defer { last = nil }
        if let last {
            if last.stream == stream { return last }
            blocks[last.stream] = last
        }
        return blocks.removeValue(forKey: stream) ?? BlockBuilder(stream: stream)
    }

    /// Puts back the block that was taken.
    func put(_ block: consuming BlockBuilder) {
        last = block
    }

    /// Stores all blocks.
    func store() throws(SQLiteError) {
        if let last { blocks[last.stream] = last }
        last = nil
        for stream in blocks.keys.sorted() {
            guard var block = blocks.removeValue(forKey: stream) else { continue }
            if block.count > 0 { try store(&block) }
            blocks[stream] = block
        }
        if blocks.count > Self.mostIdle { blocks = [:] }
    }

    /// Stores a block, which becomes empty.
    func store(_ block: inout BlockBuilder) throws(SQLiteError) {
        if !checked.contains(block.stream) {
            try any.bind(from: block.firstID, through: RecordID(lastOf: block.stream))
            defer { any.reset() }
            guard try !any.step() else {
                throw SQLiteError.contradiction("the next sequence is in use", action: "saving")
            }
            checked.insert(block.stream)
        }
        try block.store(with: insert)
    }
}

@available(*, unavailable)
extension NewBlocks: Sendable {}
