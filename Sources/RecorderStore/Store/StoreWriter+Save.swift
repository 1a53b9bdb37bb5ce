import RecorderSQLite

/// The result of storing a group of saves.
struct AppendReceipt: Sendable {
    enum SaveResult: Sendable {
        /// It is stored, and the usage is to be reported: it is above the threshold.
        case stored(usage: Int)
        case refused(RecorderError)
    }

    /// By the index of the save; the others are stored.
    var results: [Int: SaveResult] = [:]
    var discarded = LimitReceipt()
}

extension StoreWriter {
    /// Stores a group of saves in order, and makes room as their limits demand.
    func append(_ saves: [PendingSave]) throws(SQLiteError) -> AppendReceipt {
        var receipt = AppendReceipt()
        let limits = saves.last?.limits
        try write { (ledger) throws(SQLiteError) in
            receipt = AppendReceipt()
            let now = try clock.now(connection)
            hasBegunSegment = false
            if let limits {
                if limits != storedLimits { try store(limits) }
                // First, so that nothing younger is evicted in place of what expires.
                try expire(after: limits.age, at: now, ledger: &ledger, receipt: &receipt.discarded)
            }
            for (index, save) in saves.enumerated() {
                if let refusal = try refusal(of: save, &ledger) {
                    receipt.results[index] = .refused(refusal)
                    save.sequence?.fail(refusal)
                    continue
                }
                switch save.records {
                case .one(let record): try insert(record, at: now, ledger: &ledger)
                case .many(let group): try insert(group, at: now, ledger: &ledger)
                }
                if let changes = save.filePositions { try filePositions.apply(changes) }
                if let usage = save.limits.reportedUsage(ledger.bytes, afterAdding: save.storedBytes) {
                    receipt.results[index] = .stored(usage: usage)
                }
                try evict(beyond: save.limits, ledger: &ledger, receipt: &receipt.discarded)
            }
            try heads.removeTaken(end: ledger.nextSequence)
            if hasBegunSegment, try isSparse(ledger) { receipt.discarded.isIncomplete = true }
        }
        storedLimits = limits
        receipt.discarded.committed(to: identity, beside: inFlight)
        return receipt
    }

    /// Why a save is not stored; nil if it is.
    private func refusal(of save: PendingSave, _ ledger: inout StoreLedger) throws(SQLiteError) -> RecorderError? {
        if let failure = save.sequence?.failure { return failure }
        let (added, stored) = (RecordAmount(records: save.count, bytes: save.storedBytes), ledger.stored)
        // Positions alone need no room.
        guard save.count > 0, save.limits.isExceeded(by: added, beside: stored) else { return nil }
        try ledger.loadShares(statements.uses)
        let stream = try statements.knownNumber(of: save.records.stream)
        let use = stream.flatMap { ledger.shares?.use(of: $0) } ?? RecordAmount()
        let streams = (ledger.shares?.count ?? 0) + (use.records == 0 ? 1 : 0)
        return save.limits.refusal(of: added, to: use, beside: stored, streams: streams)
    }

    /// Stores one record; part of a transaction. `time` is the store's, in ms.
    func insert(_ record: Record, at time: Int64, ledger: inout StoreLedger) throws(SQLiteError) {
        let key = record.partitionKey
        var place = try place(in: record.stream, numbered: key == .numbered ? 1 : 0, at: time, ledger)
        try unsafe record.withBytes { givenKey, data in
            Result { () throws(SQLiteError) in
                try unsafe insert(data, key: key, givenKey: givenKey, at: &place, ledger: &ledger)
            }
        }.get()
        place.blocks.put(place.block)
    }

    /// Stores the records of a group.
    private func insert(_ group: RecordGroup, at time: Int64, ledger: inout StoreLedger) throws(SQLiteError) {
        // Changes of positions alone begin no segment.
        guard group.count > 0 else { return }
        var place = try place(in: group.stream, numbered: group.numberedCount, at: time, ledger)
        try unsafe group.forEachRecord { (key, givenKey, data) throws(SQLiteError) in
            try unsafe insert(data, key: key, givenKey: givenKey, at: &place, ledger: &ledger)
        }
        place.blocks.put(place.block)
    }

    /// Where the next records of one stream go, looked up once for all of them.
    private struct Place {
        let stream: Int64
        let time: Int64
        /// The number of the next record without a key.
        var number: Int64
        var blocks: NewBlocks
        /// Taken from `blocks`.
        var block: BlockBuilder
        /// The bytes ever saved at which the segment is full.
        var end: Int64
        /// Whether `oldest` is told of each record.
        var isRead: Bool
    }

    private func place(
        in stream: StreamName,
        numbered count: Int,
        at time: Int64,
        _ ledger: StoreLedger
    ) throws(SQLiteError) -> Place {
        let stream = try streams.number(of: stream, next: ledger.nextSequence, in: statements)
        let number = count == 0 ? 0 : try streams.takeNumbers(count, of: stream, in: statements)
        let (blocks, end) = try blocksForNextRecord(ledger)
        return Place(
            stream: stream,
            time: time,
            number: number,
            blocks: blocks,
            block: blocks.take(of: stream),
            end: end,
            isRead: oldest.readsNewest
        )
    }

    private func blocksForNextRecord(_ ledger: StoreLedger) throws(SQLiteError) -> (blocks: NewBlocks, end: Int64) {
        try segments.blocksForNextRecord(ledger) {
            oldest.segmentBegan()
            mayHaveUnusedStreams = true
            hasBegunSegment = true
        }
    }

    private func insert(
        _ data: UnsafeRawBufferPointer,
        key: RecordKey,
        givenKey: UnsafeRawBufferPointer,
        at place: inout Place,
        ledger: inout StoreLedger
    ) throws(SQLiteError) {
        if ledger.savedBytes >= place.end {
            place.blocks.put(place.block)
            (place.blocks, place.end) = try blocksForNextRecord(ledger)
            place.block = place.blocks.take(of: place.stream)
            place.isRead = oldest.readsNewest
        }
        if !place.block.takes(data.count + givenKey.count, at: place.time) { try place.blocks.store(&place.block) }
        let keyInBlock: BlockHead.Key
        switch key {
        case .none: keyInBlock = .none
        case .numbered:
            keyInBlock = .numbered(place.number)
            place.number += 1
        case .given: keyInBlock = .given(bytes: givenKey.count)
        }
        let bytes = Record.storedBytes(payload: data.count, key: keyInBlock.bytes)
        let sequence = ledger.save(bytes: bytes, isNumbered: keyInBlock.isNumbered, to: place.stream)
        unsafe place.block.append(sequence: sequence, at: place.time, key: keyInBlock, givenKey: givenKey, data: data)
        guard place.isRead else { return }
        oldest.saved(RecordID(stream: place.stream, sequence: sequence), at: place.time, storedBytes: bytes)
    }

    /// Stores the current limits, for the status; part of a transaction.
    private func store(_ limits: DiskLimits) throws(SQLiteError) {
        try connection.execute(
            "UPDATE meta SET byte_limit = \(limits.bytes), age_limit = \(limits.age.milliseconds)"
        )
    }
}
