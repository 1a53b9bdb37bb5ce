package import Foundation
import RecorderSQLite

/// A store as people ask for it: its counts, the limits of its last saver, and each stream.
package struct StoreStatus: Sendable {
    package let totals: StoreTotals
    /// Of the last save of any process; nil before the first one.
    package let limits: DiskLimits?
    /// By name; drained ones included.
    package let streams: [StreamStatus]
}

/// One stream of a store.
package struct StreamStatus: Sendable {
    package let name: StreamName
    /// Stored now.
    package let records: Int
    /// What they take, as the store's totals count it.
    package let bytes: Int
    /// When its oldest record was saved; nil where it has none.
    package let oldest: Date?
    /// Why its last flush kept records back, and when that was; nil where it did not.
    package let trouble: Trouble?

    package struct Trouble: Sendable, Hashable {
        package let message: String
        package let date: Date
    }
}

extension StoreReader {
    /// Everything above as of one instant. Its cost is that of the streams, whatever they hold.
    func status(_ clock: StoreClock) throws(RecorderError) -> StoreStatus {
        try reading { () throws(SQLiteError) in
            let reference = try StoreClock.Reference.read(connection)
            let segments = try allSegments()
            var streams: [StreamStatus] = []
            let rows = try connection.prepare("SELECT \(Self.columns) FROM stream ORDER BY number > 0, name")
            guard try rows.step() else {
                throw SQLiteError.damage("the store's row of totals is gone", action: "reading the status")
            }
            let (totals, limits) = (try StoreTotals(rows), DiskLimits(rows))
            while try rows.step() {
                let text = rows.text(at: 16)
                let trouble = StreamStatus.Trouble(message: text, date: Date(milliseconds: rows.integer(at: 17)))
                streams.append(
                    StreamStatus(
                        name: StreamName(unchecked: rows.text(at: 12)),
                        records: try rows.count(at: 0),
                        bytes: StoreTotals.streamBytes(rows.integer(at: 1)),
                        oldest: try oldest(of: rows.integer(at: 11), after: rows.integer(at: 13), segments)
                            .map { clock.date(of: $0, reference) },
                        trouble: text.isEmpty ? nil : trouble
                    )
                )
            }
            return StoreStatus(totals: totals, limits: limits, streams: streams)
        }
    }

    private static let columns = """
        \(StoreTotals.columns), number, name, cursor, byte_limit, age_limit, trouble, trouble_at
        """

    /// The first row beyond the cursor is the oldest: whatever stood before it is gone.
    private func oldest(of stream: Int64, after cursor: Int64, _ segments: [Segment]) throws(SQLiteError) -> Int64? {
        let gone = try RecordID(cursor: cursor, of: stream)
        for segment in segments {
            let rows = try connection.prepare(
                "SELECT saved_at FROM \(segment.table) WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1"
            )
            let last = RecordID(stream: stream + 1, sequence: 0).previous
            try rows.bind(from: gone.next, through: last)
            if try rows.step() { return rows.integer(at: 0) }
        }
        return nil
    }
}

extension StoreTotals {
    /// In the order in which `init` reads them.
    static let columns = """
        records, bytes, saved, delivered, retried, evicted, expired, rejected, exhausted, cleared, next_sequence
        """

    /// The one row that they are read from.
    static let query = "SELECT \(columns) FROM stream WHERE number = 0"

    /// Runs a statement of `query`.
    init(running query: SQLiteStatement) throws(SQLiteError) {
        defer { query.reset() }
        guard try query.step() else {
            throw SQLiteError.damage("the store's row of totals is gone", action: "reading totals")
        }
        try self.init(query)
    }

    init(_ row: SQLiteStatement) throws(SQLiteError) {
        records = try row.count(at: 0)
        bytes = try row.count(at: 1)
        saved = try row.count(at: 2)
        delivered = try row.count(at: 3)
        retried = try row.count(at: 4)
        evicted = try row.count(at: 5)
        expired = try row.count(at: 6)
        rejected = try row.count(at: 7)
        exhausted = try row.count(at: 8)
        cleared = try row.count(at: 9)
        nextSequence = row.integer(at: 10)
        guard Self.canBe(records: row.integer(at: 0), bytes: row.integer(at: 1)),
            RecordID.sequences.contains(nextSequence)
        else { throw .implausibleCount }
    }
}

extension SQLiteStatement {
    /// A count of records or bytes. Damage can leave any number there; the rescue that this error leads to counts anew.
    func count(at column: Int32) throws(SQLiteError) -> Int {
        guard StoreTotals.plausible.contains(integer(at: column)) else { throw .implausibleCount }
        return Int(integer(at: column))
    }
}

extension SQLiteError {
    fileprivate static let implausibleCount = SQLiteError.damage("a count is out of range", action: "reading counts")
}

extension DiskLimits {
    /// What a saver noted; nil where none has.
    fileprivate init?(_ row: SQLiteStatement) {
        guard row.integer(at: 14) >= 0 else { return nil }
        self.init(
            bytes: Int(min(row.integer(at: 14), StoreTotals.plausible.upperBound)),
            age: .milliseconds(max(row.integer(at: 15), 0)),
            notificationThreshold: 0
        )
    }
}

extension Date {
    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
