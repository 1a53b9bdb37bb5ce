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
        let insert = try segments.insertForNextRecord(ledger) {
            oldest.segmentBegan()
            mayHaveUnusedStreams = true
        }
        let id = RecordID(stream: stream, sequence: ledger.save(bytes: record.storedBytes, to: stream))
        try insert.bind(id.rawValue, at: 1)
        try insert.bind(time, at: 2)
        do throws(SQLiteError) {
            try unsafe record.withBytes { key, data in unsafe insert.run(id, key: key, data: data) }.get()
        } catch {
            // The sequence is in use: the counter was corrupted.
            throw error.isConstraint ? .damage(error.message, action: error.action) : error
        }
        oldest.saved(id, at: time, storedBytes: record.storedBytes)
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

extension SQLiteStatement {
    /// Runs the insertion of a record, whose id and time are bound.
    fileprivate func run(
        _ id: RecordID,
        key: UnsafeRawBufferPointer,
        data: UnsafeRawBufferPointer
    ) -> Result<Void, SQLiteError> {
        do throws(SQLiteError) {
            try bind(unsafe RecordChecksum.of(id, key: key, data: data), at: 3)
            try unsafe run(bindingText: key, bytes: data, at: 4)
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
