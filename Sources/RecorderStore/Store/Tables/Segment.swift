import RecorderSQLite

/// A range of sequences whose records are stored in a table of their own.
///
/// Every sequence from `first` up to the next segment's first was stored in it, so counting removed records also counts the
/// live ones, and a save writes no count.
struct Segment: Sendable, Hashable {
    /// The first sequence of the segment; also part of the table's name.
    let first: Int64
    /// The bytes ever saved to the store when the segment began.
    let firstBytes: Int64
    /// How many of its records were delivered, discarded, cleared or moved to `KeptRecords`.
    let removed: Int64
    /// What the numbered keys of its records are made of.
    let keySource: KeySource

    var table: String { "block_\(first)" }

    /// Whether a table of the schema is a segment's.
    static let isTable = "type = 'table' AND name GLOB 'block_[0-9]*'"

    /// The columns of a segment's row, as `init` reads them.
    static let columns = "first_sequence, first_bytes, removed, key_source"

    init(first: Int64, firstBytes: Int64, removed: Int64, keySource: KeySource) {
        self.first = first
        self.firstBytes = firstBytes
        self.removed = removed
        self.keySource = keySource
    }

    /// Reads a row of `columns`. Corruption can leave any number there.
    init(_ row: SQLiteStatement) throws(SQLiteError) {
        try self.init(uncounted: row)
        guard RecordID.sequences.contains(removed), StoreTotals.plausible.contains(firstBytes) else {
            throw SQLiteError.contradiction("a segment's counts are out of range", action: "reading segments")
        }
    }

    /// The same without a check of its counts.
    init(uncounted row: SQLiteStatement) throws(SQLiteError) {
        let first = row.integer(at: 0)
        guard RecordID.sequences.contains(first), let keySource = KeySource(stored: row.integer(at: 3)) else {
            throw SQLiteError.damage("a segment's name is out of range", action: "reading segments")
        }
        self.init(
            first: first,
            firstBytes: row.integer(at: 1),
            removed: row.integer(at: 2),
            keySource: keySource
        )
    }

    /// Segments, oldest first, each with its range of sequences; the newest one's ends before `end`.
    static func ranges(
        of segments: [Segment],
        before end: Int64
    ) throws(SQLiteError) -> [(segment: Segment, sequences: Range<Int64>)] {
        let ends = segments.dropFirst().map(\.first) + [end]
        guard zip(segments, ends).allSatisfy({ $0.first + $0.removed <= $1 && $0.first < $1 }) else {
            throw SQLiteError.contradiction("segments overlap", action: "reading segments")
        }
        return zip(segments, ends).map { ($0, $0.first..<$1) }
    }
}
