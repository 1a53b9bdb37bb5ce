import RecorderSQLite

/// A stored record while it is read. Its bytes are valid during the call that gets it.
@safe struct ScannedRecord {
    let id: RecordID
    /// The store's time of the save, in ms.
    let savedAt: Int64
    /// The key that it is sent with; empty if it has none.
    let key: UnsafeRawBufferPointer
    let data: UnsafeRawBufferPointer
    /// The number in its key, if the key is numbered and not stored.
    let number: Int64?
    /// Whether its bytes are those that were saved.
    let isUnaltered: Bool

    var storedBytes: Int { unsafe Record.storedBytes(payload: data.count, key: key.count) }
}

/// Reads the records of one table in order, whatever the table's format, without copying them.
struct RecordScan {
    private let connection: SQLiteConnection
    private let table: String
    /// nil for a table with a row for each record.
    private let keySource: KeySource?

    /// Reads a segment.
    init(_ segment: Segment, _ connection: SQLiteConnection) {
        (self.connection, table, keySource) = (connection, segment.table, segment.keySource)
    }

    /// Reads the kept records.
    init(keptIn connection: SQLiteConnection) {
        (self.connection, table, keySource) = (connection, KeptRecords.table, nil)
    }

    /// Passes the records from `first` through `last`, which are of one stream, to `body` until that returns false. Returns false
    /// if it did.
    func forEach(
        from first: RecordID,
        through last: RecordID,
        _ body: (ScannedRecord) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) -> Bool {
        guard first <= last else { return true }
        guard let keySource else { return try forEachRow(from: first, through: last, body) }
        let blocks = try connection.prepare(
            "SELECT id, saved_at, span, number, head, data FROM \(table) WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
        )
        try blocks.bind(from: first, through: RecordID(lastOf: last.stream))
        while try blocks.step() {
            let id = RecordID(rawValue: blocks.integer(at: 0))
            var records = try BlockRecords(of: id, source: keySource, row: blocks, from: 2)
            while let record = try records.next() {
                guard record.entry.id >= first else { continue }
                guard record.entry.id <= last else { return true }
                let time = blocks.integer(at: 1)
                guard try pass(record, of: &records, at: time, to: body) else { return false }
            }
        }
        return true
    }

    private func pass(
        _ record: BlockRecords.Element,
        of block: inout BlockRecords,
        at time: Int64,
        to body: (ScannedRecord) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) -> Bool {
        var number: Int64?
        if case .numbered(let value) = record.entry.key { number = value }
        return try unsafe block.withKey(of: record) { key in
            Result { () throws(SQLiteError) in
                try body(
                    unsafe ScannedRecord(
                        id: record.entry.id,
                        savedAt: time,
                        key: record.entry.key.bytes == 0 ? UnsafeRawBufferPointer(start: nil, count: 0) : key,
                        data: record.data,
                        number: number,
                        isUnaltered: record.isUnaltered
                    )
                )
            }
        }.get()
    }

    private func forEachRow(
        from first: RecordID,
        through last: RecordID,
        _ body: (ScannedRecord) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) -> Bool {
        let rows = try connection.prepare(
            "SELECT id, saved_at, sum, partition_key, data FROM \(table) WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
        )
        try rows.bind(from: first, through: last)
        while try rows.step() {
            let id = RecordID(rawValue: rows.integer(at: 0))
            let (key, data) = unsafe (rows.bytes(at: 3), rows.bytes(at: 4))
            // NULL, which is no checksum, reads as 0.
            let isUnaltered =
                unsafe !rows.isNull(at: 2) && rows.integer(at: 2) == RecordChecksum.of(id, key: key, data: data)
            let record = unsafe ScannedRecord(
                id: id,
                savedAt: rows.integer(at: 1),
                key: key,
                data: data,
                number: nil,
                isUnaltered: isUnaltered
            )
            guard try body(record) else { return false }
        }
        return true
    }
}
