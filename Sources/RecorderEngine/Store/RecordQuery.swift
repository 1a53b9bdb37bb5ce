import RecorderSQLite

/// The next records of one stream, and how to encode them.
struct RecordQuery<Encoder: RecordEncoder>: Sendable {
    let stream: StreamSummary
    /// The last record that was read; nil at first.
    let position: RecordID?
    /// Only records whose sequence is below this.
    let end: Int64
    let maximumRecords: Int
    let makeEncoder: @Sendable () -> Encoder
}

/// Encodes records while they are read, so that their bytes are copied once.
protocol RecordEncoder: SendableMetatype {
    associatedtype Output: Sendable

    /// Whether numbered keys are left out: `append` gets an empty one.
    var omitsNumberedKeys: Bool { get }

    /// Appends a record and returns the range of its entry; nil if it does not fit, which ends the batch.
    mutating func append(key: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer) -> Range<Int>?

    /// What was encoded; called once, with the records in order.
    mutating func finish(_ records: [BatchedRecord]) -> Output
}

/// A batch while it is read.
struct EncodedRecords<Encoder: RecordEncoder> {
    private var encoder: Encoder
    private var records: [BatchedRecord] = []

    init(_ encoder: Encoder, capacity: Int) {
        self.encoder = encoder
        records.reserveCapacity(capacity)
    }

    var omitsNumberedKeys: Bool { encoder.omitsNumberedKeys }

    /// Appends rows with a record each while they fit; false if one did not fit. Keys of `source` are numbered ones.
    mutating func append(
        _ rows: SQLiteStatement,
        file: StoreIdentity,
        numberedBy source: KeySource?
    ) throws(SQLiteError) -> Bool {
        while try rows.step() {
            let id = RecordID(rawValue: rows.integer(at: 0))
            let key = unsafe rows.bytes(at: 3)
            let data = unsafe rows.bytes(at: 4)
            // An altered record is never sent; the rescue that this error causes keeps all others. NULL reads as 0.
            let checksum = rows.integer(at: 2)
            guard unsafe checksum == RecordChecksum.of(id, key: key, data: data), checksum != 0 || !rows.isNull(at: 2)
            else { throw SQLiteError.damagedRecord }
            var omitsKey = false
            if omitsNumberedKeys, let source { omitsKey = unsafe NumberedKey.isKey(key, of: id.stream, source: source) }
            let sent = unsafe omitsKey ? UnsafeRawBufferPointer(start: nil, count: 0) : key
            guard let entry = unsafe encoder.append(key: sent, data: data) else { return false }
            let bytes = Record.storedBytes(payload: data.count, key: key.count)
            let failures = KeptRecords.failures(rows.integer(at: 1))
            append(id, in: file, failures: failures, storedBytes: bytes, entry: entry, omitsKey: omitsKey)
        }
        return true
    }

    /// Appends the records of blocks from `first` on while they fit; false if one did not fit.
    mutating func append(
        _ blocks: SQLiteStatement,
        from first: RecordID,
        source: KeySource,
        file: StoreIdentity
    ) throws(SQLiteError) -> Bool {
        while try blocks.step() {
            let last = RecordID(rawValue: blocks.integer(at: 0))
            var block = try BlockRecords(of: last, source: source, row: blocks, from: 1)
            while let record = try block.next() {
                guard record.entry.id >= first else { continue }
                guard record.isUnaltered else { throw .damagedRecord }
                let omitsKey = omitsNumberedKeys && record.entry.key.isNumbered
                let entry = unsafe block.withKey(of: record) { key in
                    let sent = unsafe omitsKey ? UnsafeRawBufferPointer(start: nil, count: 0) : key
                    return unsafe encoder.append(key: sent, data: record.data)
                }
                guard let entry else { return false }
                append(
                    record.entry.id,
                    in: file,
                    failures: 0,
                    storedBytes: record.entry.storedBytes,
                    entry: entry,
                    omitsKey: omitsKey
                )
            }
        }
        return true
    }

    private mutating func append(
        _ id: RecordID,
        in file: StoreIdentity,
        failures: Int,
        storedBytes: Int,
        entry: Range<Int>,
        omitsKey: Bool
    ) {
        records.append(
            BatchedRecord(
                id: id,
                file: file,
                position: records.count,
                failures: failures,
                storedBytes: storedBytes,
                entry: entry,
                omitsKey: omitsKey
            )
        )
    }

    /// nil if there is no record.
    mutating func finish() -> Encoder.Output? {
        records.isEmpty ? nil : encoder.finish(records)
    }
}
