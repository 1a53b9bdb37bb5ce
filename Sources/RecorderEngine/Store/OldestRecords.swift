import RecorderSQLite

/// The records that limits discard next: those of the oldest segment that are still stored, in the order of their saves.
///
/// A segment is read once, not once a record, so that what a discard costs does not depend on how many streams or records
/// there are. Records that are read may be settled, or discarded by another process, before their turn: each one taken in a
/// later transaction is looked up first. Belongs to the writer; every method runs inside its transaction.
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
        /// Whether it was read in the transaction under way: nothing can have left it since.
        var isFresh = true
    }

    private let segments: StoreSegments
    private let statements: StoreStatements
    private var reading: Reading?
    /// Whether `reading` is known to be of the segment that is the oldest in this transaction.
    private var isChecked = false
    /// Taken in this transaction and not removed yet: the last record of each stream, and how many there are.
    private var taken: [Int64: RecordID] = [:]
    private var takenCount = 0
    /// Segments read in this transaction.
    private(set) var segmentsRead = 0

    init(_ segments: StoreSegments, _ statements: StoreStatements) {
        self.segments = segments
        self.statements = statements
    }

    /// A transaction begins. `isShared` says that another process wrote since the last one.
    func begin(isShared: Bool) {
        // Another process may have saved to the newest segment, between the records that are known here.
        if isShared, reading?.isNewest == true { reading = nil }
        reading?.isFresh = false
        isChecked = false
        segmentsRead = 0
    }

    /// A transaction was rolled back, and what was taken is there again.
    func forget() {
        reading = nil
        taken = [:]
        takenCount = 0
    }

    /// A record was saved to the newest segment.
    func saved(_ id: RecordID, at time: Int64, storedBytes: Int) {
        guard reading?.isNewest == true else { return }
        reading?.entries.append(Entry(id: id, savedAt: time, storedBytes: storedBytes))
    }

    /// A new segment began: the records to come are saved to that one.
    func segmentBegan() {
        reading?.isNewest = false
    }

    /// Whether the oldest record is certainly younger than `time`. False if that is not known.
    func isYounger(than time: Int64, until end: Int64) throws(SQLiteError) -> Bool {
        try checkSegment(until: end)
        guard let reading, reading.index < reading.entries.count else { return false }
        // If this one is gone already, the oldest is younger still.
        return reading.entries[reading.index].savedAt >= time
    }

    /// The oldest record; nil if none is stored. Sequences end before `end`.
    func first(until end: Int64) throws(SQLiteError) -> Entry? {
        try checkSegment(until: end)
        while true {
            while let current = reading, current.index < current.entries.count {
                let entry = current.entries[current.index]
                if try current.isFresh ? true : isStored(entry, in: current.segment) { return entry }
                reading?.index += 1
            }
            // A table is only read again when its records are gone from the tables, too.
            try remove(until: end)
            guard let span = try segments.oldest(before: end) else { return nil }
            reading = try read(span.segment, isNewest: try segments.isNewest(span.segment))
            if reading?.entries.isEmpty == true {
                // To drop its table would lose, unsaid, whatever damage hid there; a rescue counts it.
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

    /// Removes what was taken: moves the cursors, and empties the segment if it was all of it.
    func remove(until end: Int64) throws(SQLiteError) {
        guard takenCount > 0, let reading else { return }
        for id in taken.values { try statements.moveCursor(to: id) }
        guard let span = try segments.oldest(before: end), span.segment.first == reading.segment.first else {
            throw SQLiteError.damage("the oldest segment is gone", action: "making room")
        }
        try segments.remove(takenCount, from: span.segment, before: span.sequences.upperBound)
        taken = [:]
        takenCount = 0
    }

    /// Forgets a segment that is not the oldest any more.
    private func checkSegment(until end: Int64) throws(SQLiteError) {
        guard !isChecked else { return }
        isChecked = true
        guard let known = reading else { return }
        if try segments.oldest(before: end)?.segment.first != known.segment.first { reading = nil }
    }

    private func isStored(_ entry: Entry, in segment: Segment) throws(SQLiteError) -> Bool {
        guard let cursor = try statements.cursor(of: entry.id.stream), cursor < entry.id else { return false }
        let any = try segments.table(segment).any
        try any.bind(from: entry.id, through: entry.id)
        defer { any.reset() }
        return try any.step()
    }

    /// Reads stream by stream, from each one's cursor on: rows that are dead are not met.
    private func read(_ segment: Segment, isNewest: Bool) throws(SQLiteError) -> Reading {
        segmentsRead += 1
        var entries: [Entry] = []
        var first = RecordID(stream: 1, sequence: 0)
        let last = RecordID(stream: RecordID.streams.upperBound, sequence: RecordID.sequences.upperBound)
        let rows = try segments.table(segment).head
        defer { rows.reset() }
        while try rows.step(from: first, through: last) {
            let stream = RecordID(rawValue: rows.integer(at: 0)).stream
            // Rows of a stream that is not known any more were all removed.
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
    /// From a row of id, time, bytes of key and data.
    fileprivate init(_ row: SQLiteStatement) {
        id = RecordID(rawValue: row.integer(at: 0))
        savedAt = row.integer(at: 1)
        storedBytes = Int(row.integer(at: 2)) + Record.overhead
    }
}

extension SQLiteStatement {
    /// Begins anew with a range of ids; false if there is no row.
    fileprivate func step(from first: RecordID, through last: RecordID) throws(SQLiteError) -> Bool {
        reset()
        try bind(from: first, through: last)
        return try step()
    }
}
