import Foundation
import RecorderSQLite

/// A save, as the store sees it.
protocol StoreInput: Sendable {
    var record: Record { get }
    /// The limits at the time of the save.
    var limits: DiskLimits { get }
}

/// The result of storing a group of saves.
struct AppendReceipt: Sendable {
    enum Answer: Sendable {
        /// It is stored; the usage to report, if it is above the threshold.
        case stored(usage: Int?)
        case refused(RecorderError)
    }

    /// One for each save.
    var answers: [Answer] = []
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
            for save in saves {
                let refusal = save.limits.refusal(
                    of: save.record,
                    storedRecords: ledger.records,
                    storedBytes: ledger.bytes
                )
                if let refusal {
                    receipt.answers.append(.refused(refusal))
                    continue
                }
                try insert(save.record, at: now, ledger: &ledger)
                let usage = save.limits.reportedUsage(ledger.bytes, afterAdding: save.record.storedBytes)
                receipt.answers.append(.stored(usage: usage))
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

    /// Stores one record; part of a transaction. `time` is the store's, in ms.
    func insert(_ record: Record, at time: Int64, ledger: inout StoreLedger) throws(SQLiteError) {
        let stream = try streams.number(of: record.stream, next: ledger.nextSequence, in: statements)
        let blocks = try segments.blocksForNextRecord(ledger) {
            oldest.segmentBegan()
            mayHaveUnusedStreams = true
        }
        let isNumbered = record.partitionKey == .numbered
        let key = try isNumbered ? .numbered(streams.nextRecord(of: stream, in: statements)) : record.keyInBlock
        let block = try blocks.block(of: stream, for: record.payload.count + key.bytesInBlock, at: time)
        let bytes = record.storedBytes
        let sequence = ledger.save(bytes: bytes, isNumbered: isNumbered, to: stream)
        unsafe record.withBytes { givenKey, data in
            unsafe block.append(sequence: sequence, at: time, key: key, givenKey: givenKey, data: data)
        }
        oldest.saved(RecordID(stream: stream, sequence: sequence), at: time, storedBytes: bytes)
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

extension Record {
    /// The kind of its key, unless that is numbered.
    fileprivate var keyInBlock: BlockHead.Key {
        if case .given(let key) = partitionKey { .given(bytes: key.utf8.count) } else { .none }
    }
}
