import RecorderSQLite

/// What a store's counts must be, by its records.
struct StoreCounts: Sendable {
    struct Stream: Sendable {
        let number: Int64
        let records: Int64
        let bytes: Int64
        let cursor: Int64
        /// How many of its records were ever saved without a key.
        let numbered: Int64
    }

    struct SegmentCount: Sendable {
        let segment: Segment
        /// How many of its records wait.
        let live: Int64
    }

    var streams: [Stream] = []
    /// Oldest first.
    var segments: [SegmentCount] = []
    var nextSequence: Int64 = 1
    private var records: Int64 = 0
    private var bytes: Int64 = 0
    /// Records that left, by the name of their count.
    private var left: [(name: String, count: Int64)] = []
    private var savedBytes: Int64 = 0

    /// The row of the store as a whole.
    struct Totals: Sendable {
        let records: Int64
        let bytes: Int64
        let nextSequence: Int64
        let savedBytes: Int64
        let keySource: Int64
        private let saved: Int64
        fileprivate let left: [(name: String, count: Int64)]

        init(_ connection: SQLiteConnection) throws(SQLiteError) {
            let names = ["delivered", "evicted", "expired", "rejected", "exhausted", "cleared"]
            let row = try connection.prepare(
                """
                SELECT records, bytes, saved, next_sequence, saved_bytes, key_source, \(names.joined(separator: ", "))
                FROM stream, meta WHERE number = 0
                """
            )
            guard try row.step() else { throw .totalsMissing }
            records = row.integer(at: 0)
            bytes = row.integer(at: 1)
            saved = row.integer(at: 2)
            nextSequence = row.integer(at: 3)
            savedBytes = row.integer(at: 4)
            keySource = row.integer(at: 5)
            left = names.enumerated().map { ($1, row.integer(at: Int32($0 + 6))) }
        }

        /// What contradicts itself in the row.
        var problems: [String] {
            let sum = left.reduce(records) { $0 &+ $1.count }
            var problems: [String] = []
            if saved != sum {
                problems.append("records saved: \(saved); stored, delivered, discarded or cleared: \(sum)")
            }
            for (name, count) in left + [("saved bytes", savedBytes)] where !StoreTotals.plausible.contains(count) {
                problems.append("\(name): \(count)")
            }
            if keySource != 0, KeySource(stored: keySource) == nil { problems.append("key source: \(keySource)") }
            return problems
        }
    }

    /// Sets the counts of the store as a whole. What is impossible in its row becomes 0.
    mutating func finish(_ totals: Totals, records: Int64, bytes: Int64) {
        (self.records, self.bytes) = (records, bytes)
        left = totals.left.map { ($0.name, StoreTotals.plausible.contains($0.count) ? $0.count : 0) }
        savedBytes = StoreTotals.plausible.contains(totals.savedBytes) ? totals.savedBytes : bytes
    }

    /// Writes the counts; part of a write transaction. No record is changed.
    ///
    /// Later records get another `KeySource`: whether the counts of numbered records were right is unknown, and no key may name two
    /// records.
    func write(_ connection: SQLiteConnection) throws(SQLiteError) {
        for stream in streams {
            try connection.execute(
                """
                UPDATE stream SET records = \(stream.records), bytes = \(stream.bytes), cursor = \(stream.cursor),
                    numbered = \(stream.numbered), numbered_before = \(stream.numbered), unnamed = 0
                WHERE number = \(stream.number)
                """
            )
        }
        let filled = segments.filter { $0.live > 0 }
        for empty in segments where empty.live == 0 {
            try connection.execute(
                """
                DELETE FROM \(empty.segment.table);
                DELETE FROM segment WHERE first_sequence = \(empty.segment.first)
                """
            )
        }
        let ends = filled.dropFirst().map(\.segment.first) + [nextSequence]
        for (count, end) in zip(filled, ends) {
            let first = count.segment.first
            try connection.execute(
                """
                UPDATE segment SET removed = \(end - first - count.live),
                    first_bytes = \(min(max(count.segment.firstBytes, 0), savedBytes)) WHERE first_sequence = \(first)
                """
            )
        }
        let saved = left.reduce(records) { $0 &+ $1.count }
        let departures = left.map { "\($0.name) = \($0.count)" }.joined(separator: ", ")
        try connection.execute(
            """
            UPDATE stream SET records = \(records), bytes = \(bytes), saved = \(saved), \(departures),
                next_sequence = \(nextSequence), saved_bytes = \(savedBytes) WHERE number = 0;
            UPDATE meta SET key_source = 0
            """
        )
    }
}
