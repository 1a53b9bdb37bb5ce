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
            let (totals, limits) = (StoreTotals(rows), DiskLimits(rows))
            while try rows.step() {
                let text = rows.text(at: 16)
                let trouble = StreamStatus.Trouble(message: text, date: Date(milliseconds: rows.integer(at: 17)))
                streams.append(
                    StreamStatus(
                        name: StreamName(unchecked: rows.text(at: 12)),
                        records: Int(rows.integer(at: 0)),
                        bytes: Int(rows.integer(at: 1)),
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
        self.init(query)
    }

    init(_ row: SQLiteStatement) {
        records = Int(row.integer(at: 0))
        bytes = Int(row.integer(at: 1))
        saved = Int(row.integer(at: 2))
        delivered = Int(row.integer(at: 3))
        retried = Int(row.integer(at: 4))
        evicted = Int(row.integer(at: 5))
        expired = Int(row.integer(at: 6))
        rejected = Int(row.integer(at: 7))
        exhausted = Int(row.integer(at: 8))
        cleared = Int(row.integer(at: 9))
        nextSequence = row.integer(at: 10)
    }
}

extension DiskLimits {
    /// What a saver noted; nil where none has.
    fileprivate init?(_ row: SQLiteStatement) {
        guard row.integer(at: 14) >= 0 else { return nil }
        self.init(
            bytes: Int(row.integer(at: 14)),
            age: .milliseconds(row.integer(at: 15)),
            notificationThreshold: 0
        )
    }
}

extension Date {
    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
