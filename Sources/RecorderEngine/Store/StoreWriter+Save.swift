import RecorderSQLite

/// A save, as the store sees it.
protocol StoreInput: Sendable {
    var records: SavedRecords { get }
    /// How many they are.
    var count: Int { get }
    /// What they count for in the store, in bytes.
    var storedBytes: Int { get }
    /// The limits at the time of the save.
    var limits: DiskLimits { get }
    /// Changes of the positions of files, stored if the records are.
    var filePositions: FilePositionChanges? { get }
    /// Why an earlier save, on which this one depends, failed.
    var earlierFailure: RecorderError? { get }

    /// Fails later saves that depend on this one.
    func failLater(_ error: RecorderError)
}

/// The result of storing a group of saves.
struct AppendReceipt: Sendable {
    enum Answer: Sendable {
        /// It is stored, and the usage is to be reported: it is above the threshold.
        case stored(usage: Int)
        case refused(RecorderError)
    }

    /// By the index of the save; the others are stored.
    var answers: [Int: Answer] = [:]
    var discarded = LimitReceipt()
}

extension StoreWriter {
    /// Stores a group of saves in order, and makes room as their limits demand.
    func append(_ saves: [some StoreInput]) throws(SQLiteError) -> AppendReceipt {
        var receipt = AppendReceipt()
        let limits = saves.last?.limits
        try write { (ledger) throws(SQLiteError) in
            let now = try clock.now(connection)
            if let limits, limits != storedLimits { try store(limits) }
            for (index, save) in saves.enumerated() {
                if let refusal = refusal(of: save, ledger) {
                    receipt.answers[index] = .refused(refusal)
                    save.failLater(refusal)
                    continue
                }
                switch save.records {
                case .one(let record): try insert(record, at: now, ledger: &ledger)
                case .many(let group): try insert(group, at: now, ledger: &ledger)
                }
                if let changes = save.filePositions { try filePositions.apply(changes) }
                if let usage = save.limits.reportedUsage(ledger.bytes, afterAdding: save.storedBytes) {
                    receipt.answers[index] = .stored(usage: usage)
                }
                if !save.limits.refusesWhenFull {
                    try evict(beyond: save.limits.bytes, ledger: &ledger, receipt: &receipt.discarded)
                }
            }
            if let limits {
                try expire(after: limits.age, at: now, ledger: &ledger, receipt: &receipt.discarded)
            }
            try oldest.removeTaken(end: ledger.nextSequence)
        }
        storedLimits = limits
        return receipt
    }

    /// Why a save is not stored; nil if it is.
    private func refusal(of save: some StoreInput, _ ledger: StoreLedger) -> RecorderError? {
        if let failure = save.earlierFailure { return failure }
        // Positions alone need no room.
        guard save.count > 0 else { return nil }
        return save.limits.refusal(
            of: save.storedBytes,
            in: save.count,
            storedRecords: ledger.records,
            storedBytes: ledger.bytes
        )
    }

    /// Stores one record; part of a transaction. `time` is the store's, in ms.
    func insert(_ record: Record, at time: Int64, ledger: inout StoreLedger) throws(SQLiteError) {
        let stream = try streams.number(of: record.stream, next: ledger.nextSequence, in: statements)
        try unsafe record.withBytes { givenKey, data in
            Result { () throws(SQLiteError) in
                let key = record.partitionKey
                try unsafe insert(data, key: key, givenKey: givenKey, stream: stream, at: time, ledger: &ledger)
            }
        }.get()
    }

    /// Stores the records of a group.
    private func insert(_ group: RecordGroup, at time: Int64, ledger: inout StoreLedger) throws(SQLiteError) {
        let stream = try streams.number(of: group.stream, next: ledger.nextSequence, in: statements)
        try unsafe group.forEachRecord { (key, givenKey, data) throws(SQLiteError) in
            try unsafe insert(data, key: key, givenKey: givenKey, stream: stream, at: time, ledger: &ledger)
        }
    }

    private func insert(
        _ data: UnsafeRawBufferPointer,
        key: RecordKey,
        givenKey: UnsafeRawBufferPointer,
        stream: Int64,
        at time: Int64,
        ledger: inout StoreLedger
    ) throws(SQLiteError) {
        let blocks = try segments.blocksForNextRecord(ledger) {
            oldest.segmentBegan()
            mayHaveUnusedStreams = true
        }
        let key = try keyInBlock(of: key, givenKey: givenKey.count, stream: stream)
        let block = try blocks.block(of: stream, for: data.count + givenKey.count, at: time)
        let bytes = Record.storedBytes(payload: data.count, key: key.bytes)
        let sequence = ledger.save(bytes: bytes, isNumbered: key.isNumbered, to: stream)
        unsafe block.append(sequence: sequence, at: time, key: key, givenKey: givenKey, data: data)
        oldest.saved(RecordID(stream: stream, sequence: sequence), at: time, storedBytes: bytes)
    }

    private func keyInBlock(
        of key: RecordKey,
        givenKey bytes: Int,
        stream: Int64
    ) throws(SQLiteError) -> BlockHead.Key {
        switch key {
        case .none: .none
        case .numbered: .numbered(try streams.nextRecord(of: stream, in: statements))
        case .given: .given(bytes: bytes)
        }
    }

    /// Stores the current limits, for the status; part of a transaction.
    private func store(_ limits: DiskLimits) throws(SQLiteError) {
        try connection.execute(
            """
            UPDATE stream SET byte_limit = \(limits.bytes), age_limit = \(limits.age.milliseconds) WHERE number = 0
            """
        )
    }
}
