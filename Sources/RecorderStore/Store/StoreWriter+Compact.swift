import RecorderSQLite

/// Keeping the file small while segments hold few records.
///
/// A segment takes its space until its last record leaves. A slow stream that has a record in each of them would keep the space of
/// every record that faster streams delivered. So what is left in the oldest segments moves to `KeptRecords`, each record at most
/// once.
extension StoreWriter {
    /// The most records that one transaction moves.
    private static let mostMoved = 4_096
    /// The space that removed records may take, in bytes, besides as much as the stored ones take: some of the smallest segments.
    private static let sparseBytes: Int64 = 2 * 1_024 * 1_024

    /// Whether removed records take more of the file than the stored ones. The copies of rejected records are neither.
    func isSparse(_ ledger: StoreLedger) throws(SQLiteError) -> Bool {
        assert(ledger.bytes >= 0)
        func pragma(_ name: String) throws(SQLiteError) -> Int64 { try connection.integer("PRAGMA \(name)") ?? 0 }
        let bytes = try (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
        let most = 2 * Int64(ledger.bytes) + Self.sparseBytes
        guard bytes > most else { return false }
        return try bytes - rejected.fileBytes() > most
    }

    /// Moves records out of the oldest segment if the file is sparse; whether there is more to do.
    func compact() throws(SQLiteError) -> Bool {
        var isMoving = false
        try write { (ledger) throws(SQLiteError) in
            let end = ledger.nextSequence
            guard try isSparse(ledger), let (segment, sequences) = try segments.oldest(before: end),
                try !segments.isNewest(segment)
            else { return }
            let table = try segments.table(of: segment)
            let records = try table.records(cursor: statements.cursor(of:)).prefix(Self.mostMoved)
            var moved = 0
            for (stream, records) in Dictionary(grouping: records, by: \.id.stream).sorted(by: { $0.key < $1.key }) {
                guard let last = records.last?.id, let cursor = try statements.cursor(of: stream) else { continue }
                moved += try table.copy(after: cursor, through: last, to: kept)
                try statements.moveCursor(to: last)
            }
            // Reading and copying skip the same records: those behind their stream's cursor.
            assert(moved == records.count)
            guard moved > 0 else { return }
            try segments.countRemoved(moved, from: segment, before: sequences.upperBound)
            isMoving = true
        }
        return isMoving
    }
}
