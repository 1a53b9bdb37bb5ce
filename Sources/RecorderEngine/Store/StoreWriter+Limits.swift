import RecorderSQLite

/// What the limits discarded in one transaction.
struct LimitReceipt: Sendable {
    var discards: [Discard] = []
    /// Whether more must be discarded, by further transactions.
    var isIncomplete = false

    fileprivate var count = 0
    fileprivate var bytes = 0
}

/// Discarding the oldest records beyond the limits. A transaction discards a limited number of records, so that it holds the
/// lock between processes only briefly, however many there are.
extension StoreWriter {
    /// The most records that one transaction discards. A transaction that saves more bytes than that may discard twice what it
    /// saves, so that a store never grows beyond its limit.
    private static let mostDiscarded = 16_384
    /// The cost of reading or emptying a segment, in discarded records.
    private static let segmentCost = 2_048

    /// Discards records beyond the limits, as many as one transaction may.
    func enforce(_ limits: DiskLimits) throws(SQLiteError) -> LimitReceipt {
        var receipt = LimitReceipt()
        try writeFreeingSpace { (ledger) throws(SQLiteError) in
            receipt = LimitReceipt()
            if !limits.refusesWhenFull { try evict(beyond: limits.bytes, ledger: &ledger, receipt: &receipt) }
            try expire(after: limits.age, at: try clock.now(connection), ledger: &ledger, receipt: &receipt)
            try oldest.removeTaken(end: ledger.nextSequence)
        }
        return receipt
    }

    /// Discards the oldest records of all streams until the store has at most `limit` bytes; zero keeps everything.
    func evict(
        beyond limit: Int,
        ledger: inout StoreLedger,
        receipt: inout LimitReceipt
    ) throws(SQLiteError) {
        guard limit > 0 else { return }
        while ledger.bytes > limit {
            guard try discardOldest(.byteLimit, ledger: &ledger, receipt: &receipt, where: { _ in true }) else {
                return
            }
        }
    }

    /// Discards records that are older than `limit` at the time `now`; zero keeps everything.
    func expire(
        after limit: Duration,
        at now: Int64,
        ledger: inout StoreLedger,
        receipt: inout LimitReceipt
    ) throws(SQLiteError) {
        guard limit > .zero else { return }
        let oldestKept = now - limit.milliseconds
        guard try !oldest.isYounger(than: oldestKept, end: ledger.nextSequence) else { return }
        while try discardOldest(.ageLimit, ledger: &ledger, receipt: &receipt, where: { $0.savedAt < oldestKept }) {}
    }

    /// Discards the oldest record; false if there is none, it stays, or this transaction has discarded enough.
    private func discardOldest(
        _ reason: Discard.Reason,
        ledger: inout StoreLedger,
        receipt: inout LimitReceipt,
        where isDiscarded: (StoredRecord) -> Bool
    ) throws(SQLiteError) -> Bool {
        guard let entry = try oldest.first(end: ledger.nextSequence), isDiscarded(entry.record) else { return false }
        let record = entry.record
        let cost = receipt.count + oldest.segmentsRead * Self.segmentCost
        guard cost < Self.mostDiscarded || receipt.bytes < 2 * ledger.arrivedBytes else {
            receipt.isIncomplete = true
            return false
        }
        try oldest.take(entry)
        receipt.count += 1
        receipt.bytes += record.storedBytes
        let stream = record.id.stream
        ledger.remove(records: 1, bytes: record.storedBytes, of: stream, as: .discarded(reason))
        let name = try streams.name(of: stream, in: statements)
        receipt.discards.add(count: 1, bytes: record.storedBytes, stream: name, reason: reason)
        return true
    }
}
