import RecorderSQLite

/// Removing records without sending them.
extension StoreWriter {
    /// Removes every record, and returns how many there were.
    func clear() throws(SQLiteError) -> Int {
        var (count, end) = (0, Int64(0))
        try write(for: .removing) { (ledger) throws(SQLiteError) in
            (count, end) = (ledger.records, ledger.nextSequence)
            for segment in try segments.list() { try segments.empty(segment) }
            try kept.clear()
            try connection.execute(
                """
                UPDATE stream SET cleared = cleared + records, records = 0, bytes = 0,
                    cursor = \(ledger.nextSequence - 1) WHERE records > 0
                """
            )
            ledger.clear()
        }
        inFlight.clear(before: end, of: identity)
        return count
    }

    /// Removes every record of some streams, and returns how many there were.
    func clearStreams(_ selection: StreamSelection) throws(SQLiteError) -> Int {
        var count = 0
        var cleared: [RecordID] = []
        try write(for: .removing) { (ledger) throws(SQLiteError) in
            (count, cleared) = (0, [])
            for (cursor, records) in try cursors(of: selection) {
                let last = RecordID(stream: cursor.stream, sequence: ledger.nextSequence).previous
                var removed = try segments.remove(after: cursor, through: last, end: ledger.nextSequence)
                removed += try kept.remove(allOf: cursor.stream)
                guard removed.records == records else {
                    throw SQLiteError.contradiction(
                        "counted records are not in their table",
                        action: "clearing a stream"
                    )
                }
                try statements.moveCursor(to: last)
                cleared.append(last)
                ledger.remove(records: removed.records, bytes: removed.bytes, of: cursor.stream, as: .cleared)
                count += removed.records
            }
        }
        for last in cleared { inFlight.clear(through: last, of: identity) }
        return count
    }

    /// The cursors of streams that have records, and how many these are.
    private func cursors(of selection: StreamSelection) throws(SQLiteError) -> [(cursor: RecordID, records: Int)] {
        let rows = try connection.prepare(
            "SELECT number, name, cursor, records FROM stream WHERE number > 0 AND records <> 0"
        )
        var found: [(RecordID, Int)] = []
        while try rows.step() {
            guard selection.contains(StreamName(unchecked: rows.text(at: 1))) else { continue }
            found.append((try RecordID(cursor: rows.integer(at: 2), of: rows.integer(at: 0)), try rows.count(at: 3)))
        }
        return found
    }
}
