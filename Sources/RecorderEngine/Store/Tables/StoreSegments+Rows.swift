import RecorderSQLite

/// Operations on the records of one stream, whichever segments they are in. `end` is the next sequence.
extension StoreSegments {
    /// Whether any record of a stream is stored between two of its ids.
    func hasRecords(after: RecordID, before: RecordID, end: Int64) throws(SQLiteError) -> Bool {
        guard after.next < before else { return false }
        for range in try ranges(from: after.sequence + 1, through: before.sequence - 1, end: end) {
            let any = try table(of: range.segment).any
            try any.bind(from: after.next, through: before.previous)
            defer { any.reset() }
            if try any.step() { return true }
        }
        return false
    }

    func delete(from first: RecordID, through last: RecordID, end: Int64) throws(SQLiteError) {
        for range in try ranges(from: first.sequence, through: last.sequence, end: end) {
            let delete = try table(of: range.segment).delete
            try delete.bind(from: first, through: last)
            try delete.run()
        }
    }

    func countFailures(of ids: [RecordID], end: Int64) throws(SQLiteError) {
        guard let first = ids.first, let last = ids.last else { return }
        for range in try ranges(from: first.sequence, through: last.sequence, end: end) {
            let countFailure = try table(of: range.segment).countFailure
            for id in ids where range.sequences.contains(id.sequence) {
                try countFailure.bind(id.rawValue, at: 1)
                try countFailure.run()
            }
        }
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
    private func ranges(
        from first: Int64,
        through last: Int64,
        end: Int64
    ) throws(SQLiteError) -> [(segment: Segment, sequences: Range<Int64>)] {
        try Segment.ranges(of: try list(), before: end).filter {
            $0.sequences.lowerBound <= last && first < $0.sequences.upperBound
        }
    }
}
