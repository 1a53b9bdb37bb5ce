import RecorderSQLite

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
