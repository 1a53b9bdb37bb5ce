import RecorderSQLite

/// What limits need to know of a stored record.
struct StoredRecord {
    let id: RecordID
    let savedAt: Int64
    let storedBytes: Int
}

/// The table of one segment and its prepared statements. Belongs to the writer.
final class SegmentTable {
    private let heads: SQLiteStatement
    private let blocks: SQLiteStatement

    init(_ segment: Segment, _ connection: SQLiteConnection) throws(SQLiteError) {
        let table = BlockTable(segment)
        heads = try connection.prepare(table.heads)
        blocks = try connection.prepare(table.blocks)
    }

    /// Whether the table has no row. That of a segment has a live record, unless it was damaged.
    var isEmpty: Bool {
        get throws(SQLiteError) {
            defer { heads.reset() }
            let last = RecordID(lastOf: RecordID.streams.upperBound)
            return try !heads.step(from: RecordID(stream: 1, sequence: 0), through: last)
        }
    }

    /// The live records of the segment. `cursor` returns that of a stream, and nil if all of its rows are dead.
    ///
    /// Reads stream by stream, from each cursor on, so that dead rows are skipped.
    func records(cursor: (Int64) throws(SQLiteError) -> RecordID?) throws(SQLiteError) -> [StoredRecord] {
        var records: [StoredRecord] = []
        var first = RecordID(stream: 1, sequence: 0)
        let last = RecordID(lastOf: RecordID.streams.upperBound)
        defer { heads.reset() }
        while try heads.step(from: first, through: last) {
            let stream = RecordID(rawValue: heads.integer(at: 0)).stream
            first = RecordID(stream: stream + 1, sequence: 0)
            guard let cursor = try cursor(stream) else { continue }
            var isOfStream = true
            if heads.integer(at: 0) <= cursor.rawValue { isOfStream = try heads.step(from: cursor.next, through: last) }
            while isOfStream, RecordID(rawValue: heads.integer(at: 0)).stream == stream {
                try append(after: cursor, to: &records)
                isOfStream = try heads.step()
            }
        }
        return records
    }

    /// Appends the records of the current row.
    private func append(after cursor: RecordID, to records: inout [StoredRecord]) throws(SQLiteError) {
        let time = heads.integer(at: 1)
        var head = try BlockHead(heads)
        while let entry = try head.next() {
            guard entry.id > cursor else { continue }
            records.append(StoredRecord(id: entry.id, savedAt: time, storedBytes: entry.storedBytes))
        }
    }

    /// The records after an id in the first block of its stream that has any; none if the table has no such block.
    func nextBlock(after id: RecordID) throws(SQLiteError) -> [StoredRecord] {
        var records: [StoredRecord] = []
        defer { heads.reset() }
        if try heads.step(from: id.next, through: RecordID(lastOf: id.stream)) { try append(after: id, to: &records) }
        return records
    }

    /// How many records one stream has after an id and through another one, which is its last.
    func amount(after: RecordID, through last: RecordID) throws(SQLiteError) -> RecordAmount {
        var records: [StoredRecord] = []
        var amount = RecordAmount()
        defer { heads.reset() }
        var isNext = try heads.step(from: after.next, through: last)
        while isNext {
            records.removeAll(keepingCapacity: true)
            try append(after: after, to: &records)
            amount += RecordAmount(records: records.count, bytes: records.reduce(0) { $0 + $1.storedBytes })
            isNext = try heads.step()
        }
        return amount
    }

    /// Copies the records of one stream after an id and through another one; returns how many there are.
    func copy(after: RecordID, through last: RecordID, to kept: KeptRecords) throws(SQLiteError) -> Int {
        guard try hasRecord(after: after, through: last) else { return 0 }
        var count = 0
        defer { blocks.reset() }
        var isNext = try blocks.step(from: after.next, through: RecordID(lastOf: last.stream))
        while isNext {
            let end = RecordID(rawValue: blocks.integer(at: 0))
            var records = try BlockRecords(blocks)
            while let record = try records.next(), record.entry.id <= last {
                guard record.entry.id > after else { continue }
                guard record.isUnaltered else { throw .damagedRecord }
                try kept.insert(record, at: blocks.integer(at: 1), source: records.source)
                count += 1
            }
            isNext = end < last ? try blocks.step() : false
        }
        return count
    }

    /// Whether the first block that ends after an id has a record from there through another id.
    private func hasRecord(after: RecordID, through last: RecordID) throws(SQLiteError) -> Bool {
        defer { heads.reset() }
        guard try heads.step(from: after.next, through: RecordID(lastOf: last.stream)) else { return false }
        var head = try BlockHead(heads)
        while let entry = try head.next() {
            if entry.id > after { return entry.id <= last }
        }
        return false
    }
}

@available(*, unavailable)
extension SegmentTable: Sendable {}

extension SQLiteError {
    static let damagedRecord = SQLiteError.damage("a record's checksum is wrong", action: "reading a batch")
}

extension SQLiteStatement {
    /// Starts again with a range of ids; false if there is no row.
    fileprivate func step(from first: RecordID, through last: RecordID) throws(SQLiteError) -> Bool {
        reset()
        try bind(from: first, through: last)
        return try step()
    }
}
