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
    /// How many of its records were delivered, discarded or cleared.
    let removed: Int64

    var table: String { Self.table(first) }

    static func table(_ first: Int64) -> String { "record_\(first)" }

    /// The columns of a segment's row, as `init` reads them.
    static let columns = "first_sequence, first_bytes, removed"

    /// Stores a record: id, time, checksum, key, data.
    var insertion: String {
        "INSERT INTO \(table) (id, saved_at, sum, partition_key, data) VALUES (?1, ?2, ?3, ?4, ?5)"
    }

    init(first: Int64, firstBytes: Int64, removed: Int64) {
        self.first = first
        self.firstBytes = firstBytes
        self.removed = removed
    }

    /// Reads a row of `columns`. Corruption can leave any number there.
    init(_ row: SQLiteStatement) throws(SQLiteError) {
        self.init(first: row.integer(at: 0), firstBytes: row.integer(at: 1), removed: row.integer(at: 2))
        guard RecordID.sequences.contains(first), RecordID.sequences.contains(removed), firstBytes >= 0 else {
            throw SQLiteError.damage("a segment is out of range", action: "reading segments")
        }
    }

    /// Segments, oldest first, each with its range of sequences; the newest one's ends before `end`.
    static func ranges(
        of segments: [Segment],
        before end: Int64
    ) throws(SQLiteError) -> [(segment: Segment, sequences: Range<Int64>)] {
        let ends = segments.dropFirst().map(\.first) + [end]
        guard zip(segments, ends).allSatisfy({ $0.first + $0.removed <= $1 && $0.first < $1 }) else {
            throw SQLiteError.damage("segments overlap", action: "reading segments")
        }
        return zip(segments, ends).map { ($0, $0.first..<$1) }
    }
}

/// The prepared statements of one segment's table.
final class SegmentTable {
    let delete: SQLiteStatement
    let countFailure: SQLiteStatement
    /// Whether there is any record from ?1 through ?2.
    let any: SQLiteStatement
    /// The records from ?1 through ?2 in order: id, time, bytes of key and data.
    let head: SQLiteStatement

    private static let size = "length(CAST(partition_key AS BLOB)) + length(data)"

    /// A larger count is corruption and reads as 0; the checksum does not cover this column.
    private static let mostFailures: Int64 = 1 << 24

    /// The failures of a record, as stored in its row.
    static func failures(_ stored: Int64) -> Int {
        (0...mostFailures).contains(stored) ? Int(stored) : 0
    }

    init(_ segment: Segment, connection: SQLiteConnection) throws(SQLiteError) {
        let table = segment.table
        delete = try connection.prepare("DELETE FROM \(table) WHERE id BETWEEN ?1 AND ?2")
        countFailure = try connection.prepare(
            """
            UPDATE \(table) SET failures = CASE WHEN failures BETWEEN 0 AND \(Self.mostFailures) THEN failures ELSE 0 END + 1
            WHERE id = ?1
            """
        )
        any = try connection.prepare("SELECT 1 FROM \(table) WHERE id BETWEEN ?1 AND ?2 LIMIT 1")
        head = try connection.prepare(
            "SELECT id, saved_at, \(Self.size) FROM \(table) WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
        )
    }
}
