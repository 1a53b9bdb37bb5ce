import FoundationEssentials
import RecorderAWS
import RecorderSQLite

/// Copies of records that the service did not accept.
extension StoreWriter {
    /// What is done with the copies that are removed.
    package enum RejectedChange: Sendable {
        /// They are saved again, as new records with the same stream, key and data; no limit applies.
        case restore
        case clear
    }

    /// Removes the copies of some streams, nil for all, in one transaction with what is done with them. Returns how many there
    /// were.
    func changeRejected(
        _ change: RejectedChange,
        of selection: StreamSelection?
    ) throws(SQLiteError) -> Int {
        var count = 0
        try write(for: change == .clear ? .removing : .storing) { (ledger) throws(SQLiteError) in
            let copies = try RejectedRecords(connection, of: selection)
            count = copies.records.count
            switch change {
            case .restore:
                guard count > 0 else { return }
                let time = try clock.now(connection)
                for copy in copies.records {
                    let key = copy.partitionKey.map { RecordKey.given($0) } ?? .none
                    let record = Record(stream: copy.stream, payload: copy.data, partitionKey: key)
                    try insert(record, at: time, ledger: &ledger)
                }
                try rejected.remove(copies.records)
            case .clear where selection == nil:
                count += copies.damaged
                try rejected.clear()
            case .clear:
                try rejected.remove(copies.records)
            }
        }
        return count
    }

    /// Copies the records of a run from `first` through `last` that are in one of the tables, if they leave because the service
    /// does not accept them. They must still be there.
    func copyRejected(
        _ run: Settlement.Run,
        in tables: [RecordScan],
        from first: RecordID,
        through last: RecordID
    ) throws(SQLiteError) {
        guard let code = run.departure.rejectionCode else { return }
        let now = try clock.now(connection)
        let offset = clock.offset(by: try StoreClock.Reference.read(connection))
        let stream = try streams.name(of: first.stream, in: statements)
        var copies: [RejectedRecord] = []
        func copy(_ record: ScannedRecord) throws(SQLiteError) -> Bool {
            // Altered bytes are not what the service rejected.
            guard record.isUnaltered else { return true }
            let copy = unsafe RejectedRecord(
                id: 0,
                stream: stream,
                partitionKey: record.key.isEmpty ? nil : String(decoding: record.key, as: UTF8.self),
                data: Data(record.data),
                code: code.sanitized(limit: 128),
                message: (run.message ?? "").sanitized(),
                savedAtMilliseconds: record.savedAt &+ offset,
                rejectedAtMilliseconds: now &+ offset
            )
            if copy.bytes <= RejectedTable.mostBytes {
                copies.append(copy)
            } else {
                RecorderLog.warning(
                    "settle: a rejected record of stream \(stream) is not kept: it has \(copy.bytes) bytes; "
                        + "all such records may have \(RejectedTable.mostBytes)."
                )
            }
            return true
        }
        for table in tables { _ = try table.forEach(from: first, through: last, copy) }
        try rejected.add(copies)
    }
}

extension StoreLedger.Departure {
    /// The code of a copy; nil if records that leave so are not copied.
    var rejectionCode: String? {
        switch self {
        case .discarded(.rejected(let code)): code
        case .discarded(.retriesExhausted): RejectedRecord.exhausted
        default: nil
        }
    }
}
