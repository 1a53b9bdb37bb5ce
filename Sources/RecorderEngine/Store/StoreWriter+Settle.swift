import Foundation
import RecorderSQLite

/// Applying what the service answered, and storing why a flush kept records.
extension StoreWriter {
    /// Removes the records that leave and counts the failures of those that stay, in one transaction.
    ///
    /// `flushStart` has the counts when the flush began.
    ///
    /// - Returns: how many records are now delivered, and what was discarded.
    func settle(_ settlement: Settlement, flushStart: StoreTotals) throws(SQLiteError) -> SettleReceipt {
        var receipt = SettleReceipt()
        try writeFreeingSpace { (ledger) throws(SQLiteError) in
            receipt = SettleReceipt()
            for run in settlement.runs {
                try remove(run, flushStart: flushStart, ledger: &ledger, receipt: &receipt)
            }
            let kept = settlement.kept.count { $0.file == identity }
            if kept > 0 { ledger.retry(kept) }
            let failed = settlement.failed.filter { $0.file == identity }.map(\.id).sorted()
            try segments.countFailures(of: failed, end: ledger.nextSequence)
            receipt.progress.recordsLeft = ledger.records
            receipt.progress.bytesLeft = ledger.bytes
        }
        return receipt
    }

    private func remove(
        _ run: Settlement.Run,
        flushStart: StoreTotals,
        ledger: inout StoreLedger,
        receipt: inout SettleReceipt
    ) throws(SQLiteError) {
        guard let stream = run.records.first?.id.stream else { return }
        // A limit may have discarded some while they were in flight: always the oldest, which are behind the cursor now. If
        // the stream has no row any more, all were.
        let cursor = try statements.cursor(of: stream)
        let removed = run.records.prefix { record in cursor.map { record.id <= $0 } ?? true }
        if run.departure == .delivered, removed.first?.file == identity {
            try countDelivered(removed, since: flushStart, ledger: &ledger, receipt: &receipt)
        }
        let live = run.records[removed.endIndex...]
        guard let cursor, let first = live.first?.id, let last = live.last?.id, live.first?.file == identity else {
            return
        }
        if try segments.hasRecords(after: cursor, before: first, end: ledger.nextSequence) {
            try segments.delete(from: first, through: last, end: ledger.nextSequence)
        } else {
            try statements.moveCursor(to: last)
        }
        try segments.countRemoved(live.lazy.map(\.id), end: ledger.nextSequence)
        let bytes = live.reduce(0) { $0 + $1.storedBytes }
        ledger.remove(records: live.count, bytes: bytes, of: stream, as: run.departure)
        switch run.departure {
        case .delivered:
            receipt.progress.delivered += live.count
            receipt.progress.bytes += bytes
        case .discarded(let reason):
            let name = try streams.name(of: stream, in: statements)
            receipt.discards.add(count: live.count, bytes: bytes, stream: name, reason: reason)
        }
    }

    /// Counts records as delivered that a limit discarded while they were in flight and that the service accepted. Their
    /// discard was reported when it happened.
    ///
    /// Only one flush at a time sends a store's records, so records of its batches that were removed by others were evicted,
    /// expired or cleared since it began. At most as many are moved from one count to the other as these increased since; none
    /// if the store was cleared in the meantime, because nothing says which of the two happened to a record.
    private func countDelivered(
        _ removed: some Collection<BatchedRecord>,
        since start: StoreTotals,
        ledger: inout StoreLedger,
        receipt: inout SettleReceipt
    ) throws(SQLiteError) {
        guard !removed.isEmpty else { return }
        // As of the last commit; what this transaction has moved is in the ledger.
        let now = try StoreTotals(running: connection.prepare(StoreTotals.query))
        guard now.cleared == start.cleared else { return }
        let evicted = min(max(now.evicted &- start.evicted &- ledger.recounted.evicted, 0), removed.count)
        let expired = min(max(now.expired &- start.expired &- ledger.recounted.expired, 0), removed.count - evicted)
        guard evicted + expired > 0 else { return }
        ledger.recountAsDelivered(evicted: evicted, expired: expired)
        receipt.progress.delivered += evicted + expired
        receipt.progress.bytes += removed.prefix(evicted + expired).reduce(0) { $0 + $1.storedBytes }
    }

    /// Stores why the last flush left streams, for the status. `keepsOthers` keeps the earlier errors of other streams.
    func storeErrors(
        of failures: [FlushReport.Failure],
        keepsOthers: Bool,
        now: Date
    ) throws(SQLiteError) {
        try write { (_) throws(SQLiteError) in
            if !keepsOthers {
                try connection.execute("UPDATE stream SET trouble = '', trouble_at = 0 WHERE trouble <> ''")
            }
            let update = try connection.prepare("UPDATE stream SET trouble = ?2, trouble_at = ?3 WHERE name = ?1")
            // Reversed, so that a stream's first failure is the one that is kept.
            for failure in failures.reversed() {
                try update.bind(failure.stream.rawValue, at: 1)
                try update.bind(failure.error.message, at: 2)
                try update.bind(now.milliseconds, at: 3)
                try update.run()
            }
        }
    }
}
