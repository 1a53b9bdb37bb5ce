/// What a reply does to the store: which records leave, which stay, and whose failures are counted. Applied in one transaction.
struct Settlement: Sendable {
    /// Why records leave.
    enum Leaving: Sendable, Hashable {
        case delivered
        case discarded(Discard.Reason)
    }

    /// Records that leave for one reason and stand side by side in the table, so that one range removes them.
    struct Run: Sendable {
        let outcome: Leaving
        var records: [BatchedRecord]
    }

    private(set) var runs: [Run] = []
    /// Records that stay, to be sent again.
    private(set) var kept: [BatchedRecord] = []
    /// Those of them that are one failure richer.
    private(set) var failed: [BatchedRecord] = []

    var isEmpty: Bool { runs.isEmpty && kept.isEmpty }

    /// Adds a record that leaves; call in the order of the batch.
    mutating func remove(_ record: BatchedRecord, _ outcome: Leaving) {
        if let last = runs.last, last.outcome == outcome, let end = last.records.last?.position,
            end + 1 == record.position
        {
            runs[runs.count - 1].records.append(record)
        } else {
            runs.append(Run(outcome: outcome, records: [record]))
        }
    }

    /// Adds records of one batch, in its order.
    mutating func remove(_ records: [BatchedRecord], _ outcome: Leaving) {
        if let first = records.first, let last = records.last, runs.isEmpty,
            last.position - first.position == records.count - 1
        {
            runs = [Run(outcome: outcome, records: records)]
        } else {
            for record in records { remove(record, outcome) }
        }
    }

    /// Adds a record that leaves out of turn, perhaps of an earlier batch: it has no neighbours.
    mutating func removeAlone(_ record: BatchedRecord, _ outcome: Leaving) {
        runs.append(Run(outcome: outcome, records: [record]))
    }

    /// Adds a record that stays as it is.
    mutating func keep(_ record: BatchedRecord) {
        kept.append(record)
    }

    /// Adds a record that stays, one failure richer.
    mutating func countFailure(of record: BatchedRecord) {
        keep(record)
        failed.append(record)
    }
}

/// What settling came to.
struct SettleReceipt: Sendable {
    var progress = FlushProgress()
    var discards: [Discard] = []

    var delivered: Int { progress.delivered }
}
