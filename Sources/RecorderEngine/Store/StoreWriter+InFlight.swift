import RecorderSQLite

extension StoreWriter {
    /// Counts records as delivered that a limit discarded while they were in flight, and that the service took all the
    /// same. That they were discarded was reported when it happened.
    ///
    /// One flush at a time sends a store's records, so what of its batches is gone without its doing was evicted, expired or
    /// cleared since it began. At most as many are moved from one total to the other as these grew since; none if somebody
    /// cleared the store meanwhile, as nothing tells which of the two happened to a record.
    func countDelivered(
        _ gone: some Collection<BatchedRecord>,
        since start: StoreTotals?,
        _ ledger: inout StoreLedger,
        _ receipt: inout SettleReceipt
    ) throws(SQLiteError) {
        guard let start, !gone.isEmpty else { return }
        // As of the last commit; what this transaction moved before is in the ledger.
        let now = try StoreTotals(running: connection.prepare(StoreTotals.query))
        guard now.cleared == start.cleared else { return }
        let evicted = min(max(now.evicted &- start.evicted &- ledger.takenBack.evicted, 0), gone.count)
        let expired = min(max(now.expired &- start.expired &- ledger.takenBack.expired, 0), gone.count - evicted)
        guard evicted + expired > 0 else { return }
        ledger.deliverDiscarded(evicted: evicted, expired: expired)
        receipt.progress.delivered += evicted + expired
        receipt.progress.bytes += gone.prefix(evicted + expired).reduce(0) { $0 + $1.storedBytes }
    }
}
