/// A record in a batch. Its content is in the batch's request.
package struct BatchedRecord: Sendable, Hashable {
    package let id: RecordID
    /// The file it was read from; in another file the id may belong to another record.
    let file: StoreIdentity
    /// Its index in the batch as read: neighbors here are neighbors in the table.
    let position: Int
    /// Failures so far, including those of this flush.
    package var failures: Int
    /// What it counts for in the store, in bytes.
    let storedBytes: Int
    /// The index of its entry in the batch as read; records may share one.
    package var entry: Int
    /// How it is sent if it was saved without a partition key; nil if it has one, or the service has none.
    let keyless: KeylessRecords?

    /// Whether it is sent without a partition key, though the service has them.
    package var omitsKey: Bool { keyless == .withoutKeys }

    /// Whether its numbered key, which names it, is not sent.
    var isUnnamed: Bool { keyless != nil && keyless != .withNumberedKeys }

    /// Payload and partition key as they are sent, in bytes.
    package var sentBytes: Int { storedBytes - Record.overhead - (omitsKey ? RecordKey.numberedBytes : 0) }
}

/// What one answer changes in the store: which records leave, which stay, and whose failures are counted. Applied in one
/// transaction.
package struct Settlement: Sendable {
    /// Records that leave for one reason and are neighbors in the table, so that one range removes them.
    struct Run: Sendable {
        let departure: StoreLedger.Departure
        /// Why the service rejected them, or why they failed last.
        let message: String?
        var records: [BatchedRecord]
    }

    private(set) var runs: [Run] = []
    /// Records that stay, to be sent again.
    package private(set) var kept: [BatchedRecord] = []
    /// Those of them whose failures increase by one.
    private(set) var failed: [BatchedRecord] = []
    /// Entries that the service accepted.
    package var acceptedEntries = 0
    /// Whether records that leave because the service does not accept them are copied first.
    package var keepsRejected = false

    package init() {}

    package var isEmpty: Bool { runs.isEmpty && kept.isEmpty }

    /// The records that the service accepted.
    var delivered: some Collection<BatchedRecord> {
        runs.lazy.filter { $0.departure == .delivered }.flatMap(\.records)
    }

    /// The first record that leaves; nil if none does.
    package var first: RecordID? { runs.lazy.flatMap(\.records).map(\.id).min() }

    /// The same in two parts, each of which needs less room; nil if no more than one record leaves. The first one has all that
    /// stay.
    var bisected: (Settlement, Settlement)? {
        var (first, second) = (self, Settlement())
        second.keepsRejected = keepsRejected
        if runs.count > 1 {
            first.runs.removeLast(runs.count / 2)
            second.runs = runs.suffix(runs.count / 2)
        } else if let run = runs.first, run.records.count > 1 {
            second.runs = runs
            first.runs[0].records.removeLast(run.records.count / 2)
            second.runs[0].records.removeFirst(first.runs[0].records.count)
        } else {
            return nil
        }
        // Entries count once one of their records has left.
        if first.delivered.isEmpty { (first.acceptedEntries, second.acceptedEntries) = (0, acceptedEntries) }
        return (first, second)
    }

    /// Adds the second part again.
    mutating func append(_ second: Settlement) {
        runs += second.runs
        acceptedEntries += second.acceptedEntries
    }

    /// Why the service rejected the last one of the rejected records.
    package var rejection: String? {
        runs.last { run in if case .discarded(.rejected) = run.departure { true } else { false } }?.message
    }

    /// Adds a record that leaves; call in the order of the batch.
    package mutating func remove(_ record: BatchedRecord, as departure: StoreLedger.Departure, message: String? = nil) {
        if let last = runs.last, last.departure == departure, last.message == message,
            let end = last.records.last?.position, end + 1 == record.position
        {
            runs[runs.count - 1].records.append(record)
        } else {
            runs.append(Run(departure: departure, message: message, records: [record]))
        }
    }

    /// Adds records of one batch that leave, in the order of the batch.
    package mutating func remove(_ records: [BatchedRecord], as departure: StoreLedger.Departure) {
        if let first = records.first, let last = records.last, runs.isEmpty,
            last.position - first.position == records.count - 1
        {
            runs = [Run(departure: departure, message: nil, records: records)]
        } else {
            for record in records { remove(record, as: departure) }
        }
    }

    /// Adds a record that stays unchanged.
    package mutating func keep(_ record: BatchedRecord) {
        kept.append(record)
    }

    /// Counts no failure of the records that stay.
    mutating func countNoFailures() {
        failed = []
    }

    /// Adds a record that stays, with one failure more.
    package mutating func keepCountingFailure(_ record: BatchedRecord) {
        keep(record)
        failed.append(record)
    }
}

/// The result of a settle transaction.
package struct SettleReceipt: Sendable {
    package var progress = FlushProgress()
    package var discards: [Discard] = []
    /// How large the next batches may be.
    package var room = BatchRoom.any
    /// What could not be applied, and why.
    package var rest: (settlement: Settlement, error: RecorderError)?

    package var delivered: Int { progress.delivered }
    /// Records that left undelivered.
    package var discarded: Int { discards.reduce(0) { $0 + $1.count } }

    /// Both, if the other one is of a later transaction.
    func adding(_ later: SettleReceipt) -> SettleReceipt {
        var sum = later
        sum.discards = discards + later.discards
        sum.progress.delivered += progress.delivered
        sum.progress.entries += progress.entries
        sum.progress.bytes += progress.bytes
        return sum
    }
}
