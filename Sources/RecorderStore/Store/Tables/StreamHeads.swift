import RecorderSQLite

/// The oldest records of single streams, which the byte limit evicts.
///
/// A stream is read block by block from its cursor on, so the cost of an eviction depends neither on other streams nor on how
/// many records there are. Belongs to the writer; every method runs inside its transaction. `end` is the next sequence.
final class StreamHeads {
    private struct Head {
        /// The rest of the block that was read last.
        var records: ArraySlice<StoredRecord> = []
        /// The last record that was taken, or before which none is left.
        var last: RecordID
    }

    private let segments: StoreSegments
    private let kept: KeptRecords
    private let statements: StoreStatements
    private var heads: [Int64: Head] = [:]
    /// Taken in the current transaction and not removed yet.
    private var taken: [RecordID] = []

    init(segments: StoreSegments, kept: KeptRecords, statements: StoreStatements) {
        self.segments = segments
        self.kept = kept
        self.statements = statements
    }

    /// Called at the start of a transaction, and after a rollback.
    func forget() {
        heads = [:]
        taken = []
    }

    /// Takes the oldest record of a stream; nil if it has none.
    func take(from stream: Int64, end: Int64) throws(SQLiteError) -> StoredRecord? {
        if let record = try kept.oldest(of: stream) {
            _ = try kept.remove(record.id)
            return record
        }
        guard var head = try head(of: stream) else { return nil }
        if head.records.isEmpty { head.records = try nextBlock(after: head.last, end: end)[...] }
        defer { heads[stream] = head }
        guard let record = head.records.popFirst() else { return nil }
        head.last = record.id
        taken.append(record.id)
        return record
    }

    private func head(of stream: Int64) throws(SQLiteError) -> Head? {
        if let known = heads[stream] { return known }
        guard let cursor = try statements.cursor(of: stream) else { return nil }
        return Head(last: cursor)
    }

    private func nextBlock(after last: RecordID, end: Int64) throws(SQLiteError) -> [StoredRecord] {
        var next = last.sequence + 1
        while let (segment, sequences) = try segments.range(at: next, before: end) {
            if try segments.isNewest(segment) { try segments.storeBlocks() }
            let table = try segments.table(of: segment)
            let records = try table.nextBlock(after: last)
            guard records.isEmpty, sequences.upperBound < end else { return records }
            guard try !table.isEmpty else {
                throw SQLiteError.contradiction("a segment has no record", action: "making room")
            }
            next = sequences.upperBound
        }
        return []
    }

    /// Removes what was taken, after storing what was saved: moves the cursors, and empties segments in which nothing is left.
    func removeTaken(end: Int64) throws(SQLiteError) {
        guard !taken.isEmpty else { return }
        try segments.storeBlocks()
        for last in heads.values.map(\.last).sorted() { try statements.moveCursor(to: last) }
        taken.sort { $0.sequence < $1.sequence }
        try segments.countRemoved(taken, end: end)
        forget()
    }
}

@available(*, unavailable)
extension StreamHeads: Sendable {}
