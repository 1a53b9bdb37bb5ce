import RecorderSQLite

/// Rows of one stream, whichever segments they are in. Each method is told which sequence comes next.
extension StoreSegments {
    /// Whether any record of a stream is stored between two of its ids.
    func haveRecords(after: RecordID, before: RecordID, until end: Int64) throws(SQLiteError) -> Bool {
        guard after.next < before else { return false }
        for span in try spans(from: after.sequence + 1, through: before.sequence - 1, until: end) {
            let any = try table(span.segment).any
            try any.bind(from: after.next, through: before.previous)
            defer { any.reset() }
            if try any.step() { return true }
        }
        return false
    }

    func delete(from first: RecordID, through last: RecordID, until end: Int64) throws(SQLiteError) {
        for span in try spans(from: first.sequence, through: last.sequence, until: end) {
            let delete = try table(span.segment).delete
            try delete.bind(from: first, through: last)
            try delete.run()
        }
    }

    func countFailures(_ ids: [RecordID], until end: Int64) throws(SQLiteError) {
        guard let first = ids.first, let last = ids.last else { return }
        for span in try spans(from: first.sequence, through: last.sequence, until: end) {
            let countFailure = try table(span.segment).countFailure
            for id in ids where span.sequences.contains(id.sequence) {
                try countFailure.bind(id.rawValue, at: 1)
                try countFailure.run()
            }
        }
    }

    /// Tells each segment how many of these ids, in order, it lost.
    func count(removed ids: some BidirectionalCollection<RecordID>, until end: Int64) throws(SQLiteError) {
        guard let first = ids.first?.sequence, let last = ids.last?.sequence else { return }
        for span in try spans(from: first, through: last, until: end) {
            let sequences = span.sequences
            // Mostly they are all of one segment.
            let count =
                sequences.contains(first) && sequences.contains(last)
                ? ids.count
                : ids.count { sequences.contains($0.sequence) }
            if count > 0 { try remove(count, from: span.segment, before: span.sequences.upperBound) }
        }
    }

    /// The segments that hold any of these sequences.
    private func spans(
        from first: Int64,
        through last: Int64,
        until end: Int64
    ) throws(SQLiteError) -> [(segment: Segment, sequences: Range<Int64>)] {
        try Segment.spans(try list(), before: end).filter {
            $0.sequences.lowerBound <= last && first < $0.sequences.upperBound
        }
    }
}
