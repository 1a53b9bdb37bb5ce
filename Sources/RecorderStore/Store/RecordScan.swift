import RecorderSQLite

/// A stored record while it is read. Its bytes are valid during the call that gets it.
@safe struct ScannedRecord {
    let entry: BlockHead.Entry
    /// The store's time of the save, in ms.
    let savedAt: Int64
    /// The key that it is sent with; empty if it has none.
    let key: UnsafeRawBufferPointer
    let data: UnsafeRawBufferPointer
    /// Whether its bytes are those that were saved.
    let isUnaltered: Bool

    var id: RecordID { entry.id }
}

/// Reads the records of one table in order, without copying them.
struct RecordScan {
    private let connection: SQLiteConnection
    private let table: BlockTable

    init(_ table: BlockTable, _ connection: SQLiteConnection) {
        (self.connection, self.table) = (connection, table)
    }

    /// Passes the records from `first` through `last`, which are of one stream, to `body` until that returns false. Returns false
    /// if it did.
    func forEach(
        from first: RecordID,
        through last: RecordID,
        _ body: (ScannedRecord) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) -> Bool {
        guard first <= last else { return true }
        let blocks = try connection.prepare(table.blocks)
        try blocks.bind(from: first, through: RecordID(lastOf: last.stream))
        while try blocks.step() {
            var records = try BlockRecords(blocks)
            while let record = try records.next() {
                guard record.entry.id >= first else { continue }
                guard record.entry.id <= last else { return true }
                guard try pass(record, of: &records, at: blocks.integer(at: 1), to: body) else { return false }
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
        try unsafe block.withKey(of: record) { key in
            Result { () throws(SQLiteError) in
                try body(
                    unsafe ScannedRecord(
                        entry: record.entry,
                        savedAt: time,
                        key: record.entry.key.bytes == 0 ? UnsafeRawBufferPointer(start: nil, count: 0) : key,
                        data: record.data,
                        isUnaltered: record.isUnaltered
                    )
                )
            }
        }.get()
    }
}
