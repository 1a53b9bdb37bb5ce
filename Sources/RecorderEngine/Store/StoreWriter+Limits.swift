import RecorderSQLite

/// What the limits discarded in one transaction.
struct LimitReceipt: Sendable {
    var discards: [Discard] = []
    /// Whether there is more to discard, which another transaction has to do.
    var isCutShort = false

    fileprivate var count = 0
    fileprivate var bytes = 0
}

/// Discarding what the limits do not allow, the oldest first: as much as one transaction may, so that it holds the lock
/// between processes for a moment only, however much there is.
extension StoreWriter {
    /// Records that one transaction discards at most. With more than this saved in it, it may discard what was saved twice
    /// over, so that a store never grows beyond its limit.
    private static let mostDiscarded = 16_384
    /// What it costs to read a segment, or to empty it, in discarded records.
    private static let segmentCost = 2_048

    /// Discards what is over the limits, a transaction's worth of it.
    func enforce(_ limits: DiskLimits) throws(RecorderError) -> LimitReceipt {
        var receipt = LimitReceipt()
        try makeRoom { (ledger) throws(SQLiteError) in
            if !limits.refusesWhenFull { try evict(beyond: limits.bytes, &ledger, &receipt) }
            try expire(after: limits.age, at: try clock.now(connection), &ledger, &receipt)
            try oldest.remove(until: ledger.nextSequence)
        }
        return receipt
    }

    /// Discards the oldest records of all streams until the store is within `limit` bytes; zero keeps everything.
    func evict(
        beyond limit: Int,
        _ ledger: inout StoreLedger,
        _ receipt: inout LimitReceipt
    ) throws(SQLiteError) {
        guard limit > 0 else { return }
        while ledger.bytes > limit {
            guard try discardOldest(.byteLimit, &ledger, &receipt, where: { _ in true }) else { return }
        }
    }

    /// Discards what is older than `limit` at the time `now`; zero keeps everything.
    func expire(
        after limit: Duration,
        at now: Int64,
        _ ledger: inout StoreLedger,
        _ receipt: inout LimitReceipt
    ) throws(SQLiteError) {
        guard limit > .zero else { return }
        let oldestKept = now - limit.milliseconds
        guard try !oldest.isYounger(than: oldestKept, until: ledger.nextSequence) else { return }
        while try discardOldest(.ageLimit, &ledger, &receipt, where: { $0.savedAt < oldestKept }) {}
    }

    /// Discards the oldest record; false if there is none, it stays, or this transaction has discarded enough.
    private func discardOldest(
        _ reason: Discard.Reason,
        _ ledger: inout StoreLedger,
        _ receipt: inout LimitReceipt,
        where isDiscarded: (OldestRecords.Entry) -> Bool
    ) throws(SQLiteError) -> Bool {
        guard let entry = try oldest.first(until: ledger.nextSequence), isDiscarded(entry) else { return false }
        let cost = receipt.count + oldest.segmentsRead * Self.segmentCost
        guard cost < Self.mostDiscarded || receipt.bytes < 2 * ledger.arrivedBytes else {
            receipt.isCutShort = true
            return false
        }
        oldest.take(entry)
        receipt.count += 1
        receipt.bytes += entry.storedBytes
        ledger.remove(1, bytes: entry.storedBytes, of: entry.id.stream, as: .discarded(reason))
        try receipt.discards.add(1, bytes: entry.storedBytes, stream: name(of: entry.id.stream), reason: reason)
        return true
    }
}

extension [Discard] {
    /// Adds records to the discard of their reason.
    mutating func add(_ count: Int, bytes: Int, stream: StreamName, reason: Discard.Reason) {
        guard count > 0 else { return }
        if let index = firstIndex(where: { $0.reason == reason }) {
            self[index].count += count
            self[index].bytes += bytes
            self[index].streams.insert(stream)
        } else {
            append(Discard(reason: reason, count: count, bytes: bytes, streams: [stream]))
        }
    }
}
