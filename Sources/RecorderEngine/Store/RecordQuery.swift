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

    /// Whether numbered keys are told from given ones.
    var distinguishesNumberedKeys: Bool { get }

    /// How records with numbered keys are sent.
    var keylessRecords: KeylessRecords { get }

    /// Appends a record and returns the index of its entry; nil if it does not fit, which ends the batch.
    mutating func append(
        key: UnsafeRawBufferPointer,
        isNumbered: Bool,
        data: UnsafeRawBufferPointer,
        failures: Int
    ) -> Int?

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

    var distinguishesNumberedKeys: Bool { encoder.distinguishesNumberedKeys }

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
            var isNumbered = false
            if let source { isNumbered = unsafe NumberedKey.isKey(key, of: id.stream, source: source) }
            let failures = KeptRecords.failures(rows.integer(at: 1))
            let entry = unsafe encoder.append(key: key, isNumbered: isNumbered, data: data, failures: failures)
            guard let entry else { return false }
            let bytes = Record.storedBytes(payload: data.count, key: key.count)
            append(id, in: file, failures: failures, storedBytes: bytes, entry: entry, isNumbered: isNumbered)
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
                let isNumbered = record.entry.key.isNumbered
                let entry = unsafe block.withKey(of: record) { key in
                    unsafe encoder.append(key: key, isNumbered: isNumbered, data: record.data, failures: 0)
                }
                guard let entry else { return false }
                append(
                    record.entry.id,
                    in: file,
                    failures: 0,
                    storedBytes: record.entry.storedBytes,
                    entry: entry,
                    isNumbered: isNumbered
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
        entry: Int,
        isNumbered: Bool
    ) {
        records.append(
            BatchedRecord(
                id: id,
                file: file,
                position: records.count,
                failures: failures,
                storedBytes: storedBytes,
                entry: entry,
                keyless: isNumbered ? encoder.keylessRecords : nil
            )
        )
    }

    /// nil if there is no record.
    mutating func finish() -> Encoder.Output? {
        records.isEmpty ? nil : encoder.finish(records)
    }
}
