import RecorderSQLite

/// The next records of one stream, and how to encode them.
package struct RecordQuery<Encoder: RecordEncoder>: Sendable {
    let stream: StreamSummary
    /// The last record that was read; nil at first.
    let position: RecordID?
    /// Only records whose sequence is below this.
    let end: Int64
    let maximumRecords: Int
    let makeEncoder: @Sendable () -> Encoder

    package init(
        stream: StreamSummary,
        position: RecordID?,
        end: Int64,
        maximumRecords: Int,
        makeEncoder: @escaping @Sendable () -> Encoder
    ) {
        self.stream = stream
        self.position = position
        self.end = end
        self.maximumRecords = maximumRecords
        self.makeEncoder = makeEncoder
    }
}

/// Encodes records while they are read, so that their bytes are copied once.
package protocol RecordEncoder: SendableMetatype {
    associatedtype Output: Sendable

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

    /// Appends the records of blocks from `first` on while they fit; false if one did not fit.
    mutating func append(
        _ blocks: SQLiteStatement,
        from first: RecordID,
        file: StoreIdentity
    ) throws(SQLiteError) -> Bool {
        while try blocks.step() {
            var block = try BlockRecords(blocks)
            while let record = try block.next() {
                guard record.entry.id >= first else { continue }
                // An altered record is never sent; the rescue that this error causes keeps all others.
                guard record.isUnaltered else { throw .damagedRecord }
                let (isNumbered, failures) = (record.entry.key.isNumbered, block.failures)
                let entry = unsafe block.withKey(of: record) { key in
                    unsafe encoder.append(key: key, isNumbered: isNumbered, data: record.data, failures: failures)
                }
                guard let entry else { return false }
                records.append(
                    BatchedRecord(
                        id: record.entry.id,
                        file: file,
                        position: records.count,
                        failures: failures,
                        storedBytes: record.entry.storedBytes,
                        entry: entry,
                        keyless: isNumbered ? encoder.keylessRecords : nil
                    )
                )
            }
        }
        return true
    }

    /// nil if there is no record.
    mutating func finish() -> Encoder.Output? {
        records.isEmpty ? nil : encoder.finish(records)
    }
}
