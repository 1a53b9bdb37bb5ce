import RecorderSQLite

/// The records that an age limit discards next: those of the oldest segment and the kept ones, in the order of their saves.
///
/// A segment is read once, not once per record, so the cost of a discard does not depend on the number of streams or records.
/// Records that were read may be settled, or discarded by another process, in the meantime: those taken in a later transaction
/// are looked up first. Belongs to the writer; every method runs inside its transaction. `end` is the next sequence.
final class OldestRecords {
    /// The oldest record.
    struct Entry {
        let record: StoredRecord
        /// Whether it is one of `KeptRecords`.
        let isKept: Bool
    }

    private struct Reading {
        let segment: Segment
        /// Whether records are still saved to this segment.
        var isNewest: Bool
        var entries: [StoredRecord]
        var index = 0
        /// Whether it was read in the current transaction: nothing can have been removed since.
        var isFresh = true
    }

    private let segments: StoreSegments
    private let kept: KeptRecords
    private let statements: StoreStatements
    private var reading: Reading?
    /// Whether `reading` is known to be of the oldest segment in the current transaction.
    private var isChecked = false
    /// Taken in the current transaction and not removed yet: the last record of each stream, and how many there are.
    private var taken: [Int64: RecordID] = [:]
    private var takenCount = 0
    /// Segments read in the current transaction.
    private(set) var segmentsRead = 0

    init(segments: StoreSegments, kept: KeptRecords, statements: StoreStatements) {
        self.segments = segments
        self.kept = kept
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

    /// Whether it needs to know what is saved to the newest segment.
    var readsNewest: Bool { reading?.isNewest == true }

    /// Called when a record was saved to the newest segment, if that was read.
    func saved(_ id: RecordID, at time: Int64, storedBytes: Int) {
        reading?.entries.append(StoredRecord(id: id, savedAt: time, storedBytes: storedBytes))
    }

    /// Called when a new segment began: later records are saved to that one.
    func segmentBegan() {
        reading?.isNewest = false
    }

    /// Whether the oldest record is certainly younger than `time`; false if that is not known.
    func isYounger(than time: Int64, end: Int64) throws(SQLiteError) -> Bool {
        try checkSegment(end: end)
        guard let reading, reading.index < reading.entries.count else { return false }
        if let kept = try kept.oldest(), kept.savedAt < time { return false }
        // If this record was removed, the oldest is younger still.
        return reading.entries[reading.index].savedAt >= time
    }

    /// The oldest record; nil if none is stored.
    func first(end: Int64) throws(SQLiteError) -> Entry? {
        let oldest = try firstOfSegments(end: end)
        guard let kept = try kept.oldest(), kept.id.sequence < oldest?.id.sequence ?? .max else {
            return oldest.map { Entry(record: $0, isKept: false) }
        }
        return Entry(record: kept, isKept: true)
    }

    private func firstOfSegments(end: Int64) throws(SQLiteError) -> StoredRecord? {
        try checkSegment(end: end)
        while true {
            while let current = reading, current.index < current.entries.count {
                let entry = current.entries[current.index]
                if try current.isFresh ? true : isStored(entry) { return entry }
                reading?.index += 1
            }
            // A table is read again only when what was taken from it has been removed.
            try removeTaken(end: end)
            guard let range = try segments.oldest(before: end) else { return nil }
            reading = try read(range.segment, isNewest: try segments.isNewest(range.segment))
            if reading?.entries.isEmpty == true {
                // Dropping its table could lose records without a report.
                throw SQLiteError.contradiction("the oldest segment has no record", action: "making room")
            }
        }
    }

    /// Takes the record that `first` returned.
    func take(_ entry: Entry) throws(SQLiteError) {
        let id = entry.record.id
        if entry.isKept {
            _ = try kept.remove(id)
        } else {
            reading?.index += 1
            taken[id.stream] = id
            takenCount += 1
        }
    }

    /// Removes what was taken, after storing what was saved: moves the cursors, and empties the segment if nothing is left in it.
    func removeTaken(end: Int64) throws(SQLiteError) {
        try segments.storeBlocks()
        guard takenCount > 0, let reading else { return }
        for id in taken.values.sorted() { try statements.moveCursor(to: id) }
        guard let range = try segments.oldest(before: end), range.segment.first == reading.segment.first else {
            throw SQLiteError.contradiction("the oldest segment is missing", action: "making room")
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

    private func isStored(_ record: StoredRecord) throws(SQLiteError) -> Bool {
        guard let cursor = try statements.cursor(of: record.id.stream) else { return false }
        return cursor < record.id
    }

    private func read(_ segment: Segment, isNewest: Bool) throws(SQLiteError) -> Reading {
        segmentsRead += 1
        var entries = try segments.table(of: segment).records(cursor: statements.cursor(of:))
        entries.sort { $0.id.sequence < $1.id.sequence }
        return Reading(segment: segment, isNewest: isNewest, entries: entries)
    }
}

@available(*, unavailable)
extension OldestRecords: Sendable {}
