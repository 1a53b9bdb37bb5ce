import FoundationEssentials
import RecorderSQLite

extension StoreReader {
    /// The status of the store. Its cost depends on the number of streams, not of records.
    func status(_ clock: SystemClock) throws(SQLiteError) -> StoreStatus {
        let clock = StoreClock(clock)
        let reference = try StoreClock.Reference.read(connection)
        let segments = try allSegments()
        var streams: [StreamStatus] = []
        let rows = try connection.prepare("SELECT \(Self.columns) FROM stream ORDER BY number > 0, name")
        guard try rows.step() else {
            throw .totalsMissing
        }
        let totals = try StoreTotals(rows)
        while try rows.step() {
            let message = rows.text(at: 15)
            let error = StreamStatus.LastError(message: message, date: Date(milliseconds: rows.integer(at: 16)))
            let oldest = try oldest(of: rows.integer(at: 12), after: rows.integer(at: 14), segments: segments)
            streams.append(
                StreamStatus(
                    name: StreamName(unchecked: rows.text(at: 13)),
                    records: try rows.count(at: 0),
                    bytes: StoreTotals.streamBytes(rows.integer(at: 1)),
                    oldest: oldest.map { clock.date(of: $0, by: reference) },
                    lastError: message.isEmpty ? nil : error
                )
            )
        }
        return StoreStatus(
            totals: totals,
            limits: try DiskLimits(of: connection),
            streams: streams,
            rejectedCopies: try RejectedTable(connection).count()
        )
    }

    private static let columns = """
        \(StoreTotals.columns), number, name, cursor, trouble, trouble_at
        """

    /// When the oldest record was saved, which is the first kept one, or else the first after the cursor.
    private func oldest(
        of stream: Int64,
        after cursor: Int64,
        segments: [Segment]
    ) throws(SQLiteError) -> Int64? {
        let cursor = try RecordID(cursor: cursor, of: stream)
        let tables =
            [(KeptRecords.table, RecordID(stream: stream, sequence: 0))] + segments.map { ($0.table, cursor.next) }
        for (table, first) in tables {
            let rows = try connection.prepare(
                "SELECT saved_at FROM \(table) WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1"
            )
            try rows.bind(from: first, through: RecordID(lastOf: stream))
            if try rows.step() { return rows.integer(at: 0) }
        }
        return nil
    }
}

extension DiskLimits {
    /// The limits that the last process stored; nil if none did.
    fileprivate init?(of connection: SQLiteConnection) throws(SQLiteError) {
        let row = try connection.prepare("SELECT byte_limit, age_limit FROM meta")
        guard try row.step(), row.integer(at: 0) >= 0 else { return nil }
        self.init(
            bytes: Int(min(row.integer(at: 0), StoreTotals.plausible.upperBound)),
            age: .milliseconds(max(row.integer(at: 1), 0)),
            notificationThreshold: 0
        )
    }
}
