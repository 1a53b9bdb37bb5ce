import RecorderSQLite

/// The records that limits discard next: those of the oldest segment, in the order of their saves.
///
/// A segment is read once, not once per record, so the cost of a discard does not depend on the number of streams or records.
/// Records that were read may be settled, or discarded by another process, in the meantime: those taken in a later transaction
/// are looked up first. Belongs to the writer; every method runs inside its transaction. `end` is the next sequence.
final class OldestRecords {
    struct Entry {
        let id: RecordID
        let savedAt: Int64
        let storedBytes: Int
    }

    private struct Reading {
        let segment: Segment
        /// Whether records are still saved to this segment.
        var isNewest: Bool
        var entries: [Entry]
        var index = 0
        /// Whether it was read in the current transaction: nothing can have been removed since.
        var isFresh = true
    }

    private let segments: StoreSegments
    private let statements: StoreStatements
    private var reading: Reading?
    /// Whether `reading` is known to be of the oldest segment in the current transaction.
    private var isChecked = false
    /// Taken in the current transaction and not removed yet: the last record of each stream, and how many there are.
    private var taken: [Int64: RecordID] = [:]
    private var takenCount = 0
    /// Segments read in the current transaction.
    private(set) var segmentsRead = 0

    init(segments: StoreSegments, statements: StoreStatements) {
        self.segments = segments
        self.statements = statements
    }

    /// Called at the start of a transaction. `isShared` says that another process wrote since the last one.
    func begin(isShared: Bool) {
        // Another process may have saved to the newest segment, between the records that are known here.
        if isShared, reading?.isNewest == true { reading = nil }
        reading?.isFresh = false
        isChecked = false
        segmentsRead = 0
    }

    /// Called after a rollback.
    func forget() {
        reading = nil
        taken = [:]
        takenCount = 0
    }

    /// Called when a record was saved to the newest segment.
    func saved(_ id: RecordID, at time: Int64, storedBytes: Int) {
        guard reading?.isNewest == true else { return }
        reading?.entries.append(Entry(id: id, savedAt: time, storedBytes: storedBytes))
    }

    /// Called when a new segment began: later records are saved to that one.
    func segmentBegan() {
        reading?.isNewest = false
    }

    /// Whether the oldest record is certainly younger than `time`; false if that is not known.
    func isYounger(than time: Int64, end: Int64) throws(SQLiteError) -> Bool {
        try checkSegment(end: end)
        guard let reading, reading.index < reading.entries.count else { return false }
        // If this record was removed, the oldest is younger still.
        return reading.entries[reading.index].savedAt >= time
    }

    /// The oldest record; nil if none is stored.
    func first(end: Int64) throws(SQLiteError) -> Entry? {
        try checkSegment(end: end)
        while true {
            while let current = reading, current.index < current.entries.count {
                let entry = current.entries[current.index]
                if try current.isFresh ? true : isStored(entry, in: current.segment) { return entry }
                reading?.index += 1
            }
            // A table is read again only when what was taken from it has been removed.
            try removeTaken(end: end)
            guard let range = try segments.oldest(before: end) else { return nil }
            reading = try read(range.segment, isNewest: try segments.isNewest(range.segment))
            if reading?.entries.isEmpty == true {
                // Dropping its table would lose damaged records without a report; a rescue counts them.
                throw SQLiteError.damage("the oldest segment has no record", action: "making room")
            }
        }
    }

    /// Takes the record that `first` returned.
    func take(_ entry: Entry) {
        reading?.index += 1
        taken[entry.id.stream] = entry.id
        takenCount += 1
    }

    /// Removes what was taken: moves the cursors, and empties the segment if nothing is left in it.
    func removeTaken(end: Int64) throws(SQLiteError) {
        guard takenCount > 0, let reading else { return }
        for id in taken.values { try statements.moveCursor(to: id) }
        guard let range = try segments.oldest(before: end), range.segment.first == reading.segment.first else {
            throw SQLiteError.damage("the oldest segment is missing", action: "making room")
        }
        try segments.countRemoved(takenCount, from: range.segment, before: range.sequences.upperBound)
        taken = [:]
        takenCount = 0
    }

    /// Forgets a segment that is no longer the oldest.
    private func checkSegment(end: Int64) throws(SQLiteError) {
        guard !isChecked else { return }
        isChecked = true
        guard let known = reading else { return }
        if try segments.oldest(before: end)?.segment.first != known.segment.first { reading = nil }
    }

    private func isStored(_ entry: Entry, in segment: Segment) throws(SQLiteError) -> Bool {
        guard let cursor = try statements.cursor(of: entry.id.stream), cursor < entry.id else { return false }
        let any = try segments.table(of: segment).any
        try any.bind(from: entry.id, through: entry.id)
        defer { any.reset() }
        return try any.step()
    }

    /// Reads stream by stream, from each cursor on, so that dead rows are skipped.
    private func read(_ segment: Segment, isNewest: Bool) throws(SQLiteError) -> Reading {
        segmentsRead += 1
        var entries: [Entry] = []
        var first = RecordID(stream: 1, sequence: 0)
        let last = RecordID(stream: RecordID.streams.upperBound, sequence: RecordID.sequences.upperBound)
        let rows = try segments.table(of: segment).head
        defer { rows.reset() }
        while try rows.step(from: first, through: last) {
            let stream = RecordID(rawValue: rows.integer(at: 0)).stream
            // All rows of a stream without a row in the table `stream` are dead.
            guard let cursor = try statements.cursor(of: stream) else {
                first = RecordID(stream: stream + 1, sequence: 0)
                continue
            }
            var isOfStream = true
            if rows.integer(at: 0) <= cursor.rawValue { isOfStream = try rows.step(from: cursor.next, through: last) }
            while isOfStream, RecordID(rawValue: rows.integer(at: 0)).stream == stream {
                entries.append(Entry(rows))
                isOfStream = try rows.step()
            }
            first = RecordID(stream: stream + 1, sequence: 0)
        }
        entries.sort { $0.id.sequence < $1.id.sequence }
        return Reading(segment: segment, isNewest: isNewest, entries: entries)
    }
}

@available(*, unavailable)
extension OldestRecords: Sendable {}

extension OldestRecords.Entry {
    /// Reads a row of id, time, bytes of key and data.
    fileprivate init(_ row: SQLiteStatement) {
        id = RecordID(rawValue: row.integer(at: 0))
        savedAt = row.integer(at: 1)
        storedBytes = Int(row.integer(at: 2)) + Record.overhead
    }
}

extension SQLiteStatement {
    /// Starts again with a range of ids; false if there is no row.
    fileprivate func step(from first: RecordID, through last: RecordID) throws(SQLiteError) -> Bool {
        reset()
        try bind(from: first, through: last)
        return try step()
    }
}
