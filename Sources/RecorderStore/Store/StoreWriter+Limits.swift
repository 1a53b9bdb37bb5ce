import RecorderSQLite

/// What the limits discarded in one transaction.
struct LimitReceipt: Sendable {
    private(set) var discards: [Discard] = []
    /// Whether more must be discarded, or moved (see `compact`), by further transactions.
    var isIncomplete = false

    fileprivate var records: [InFlightRecords.Discarded] = []
    fileprivate var bytes = 0

    /// Sets what is to be reported, once the transaction is committed; the discards of records in flight are reported later.
    mutating func committed(to file: StoreIdentity, beside inFlight: InFlightRecords) {
        discards = inFlight.discard(records, of: file)
        records = []
    }
}

/// Discarding records beyond the limits: the oldest of all by age, and by size the oldest of the stream that takes the most. A
/// transaction discards a limited number of records, so that it holds the lock between processes only briefly, however many there
/// are.
extension StoreWriter {
    /// The most records that one transaction discards. A transaction that saves more bytes than that may discard twice what it
    /// saves, so that a store never grows beyond its limit.
    private static let mostDiscarded = 16_384
    /// The cost of reading or emptying a segment, in discarded records.
    private static let segmentCost = 2_048

    /// Discards records beyond the limits, as many as one transaction may.
    func enforce(_ limits: DiskLimits) throws(SQLiteError) -> LimitReceipt {
        var receipt = LimitReceipt()
        try write(for: .removing) { (ledger) throws(SQLiteError) in
            receipt = LimitReceipt()
            try expire(after: limits.age, at: try clock.now(connection), ledger: &ledger, receipt: &receipt)
            try evict(beyond: limits, ledger: &ledger, receipt: &receipt)
            try heads.removeTaken(end: ledger.nextSequence)
        }
        receipt.committed(to: identity, beside: inFlight)
        return receipt
    }

    /// Discards the oldest records of the stream that takes the most, until the store is within its limit, if that evicts.
    func evict(
        beyond limits: DiskLimits,
        ledger: inout StoreLedger,
        receipt: inout LimitReceipt
    ) throws(SQLiteError) {
        guard limits.overflow == .evicts, limits.bytes > 0 else { return }
        guard ledger.bytes > limits.bytes else { return }
        try ledger.loadShares(statements.uses)
        while ledger.bytes > limits.bytes, mayDiscardMore(ledger, &receipt) {
            guard let stream = ledger.largestStream() else { return }
            guard let record = try heads.take(from: stream, end: ledger.nextSequence) else {
                throw SQLiteError.contradiction("counted records are not in their table", action: "making room")
            }
            try count(record, as: .byteLimit, ledger: &ledger, receipt: &receipt)
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
        // A record of exactly this age stays.
        let oldestKept = now - limit.milliseconds
        guard try !oldest.isYounger(than: oldestKept, end: ledger.nextSequence) else { return }
        while let entry = try oldest.first(end: ledger.nextSequence), entry.record.savedAt < oldestKept,
            mayDiscardMore(ledger, &receipt)
        {
            try oldest.take(entry)
            try count(entry.record, as: .ageLimit, ledger: &ledger, receipt: &receipt)
        }
        try oldest.removeTaken(end: ledger.nextSequence)
    }

    /// Whether this transaction has not yet discarded enough.
    private func mayDiscardMore(_ ledger: StoreLedger, _ receipt: inout LimitReceipt) -> Bool {
        let cost = receipt.records.count + oldest.segmentsRead * Self.segmentCost
        if cost < Self.mostDiscarded || receipt.bytes < 2 * ledger.arrivedBytes { return true }
        receipt.isIncomplete = true
        return false
    }

    /// Counts a discarded record.
    private func count(
        _ record: StoredRecord,
        as reason: Discard.Reason,
        ledger: inout StoreLedger,
        receipt: inout LimitReceipt
    ) throws(SQLiteError) {
        receipt.bytes += record.storedBytes
        let stream = record.id.stream
        ledger.remove(records: 1, bytes: record.storedBytes, of: stream, as: .discarded(reason))
        let name = try streams.name(of: stream, in: statements)
        receipt.records.append(.init(id: record.id, bytes: record.storedBytes, stream: name, reason: reason))
    }
}
