import FoundationEssentials
import RecorderAWS
import RecorderSQLite

/// Applying what the service answered, and storing why a flush kept records.
extension StoreWriter {
    /// Removes the records that leave and counts the failures of those that stay, in one transaction.
    ///
    /// `flushStart` has the counts when the flush began. If the disk has no room for that, parts are tried: the oldest records
    /// leave without copies of others, and make room.
    ///
    /// - Returns: how many records are now delivered, what was discarded, and what could not be done.
    func settle(_ settlement: Settlement, flushStart: StoreTotals) throws(SQLiteError) -> SettleReceipt {
        var receipt: SettleReceipt?
        var parts = [settlement]
        while var part = parts.popLast() {
            do throws(SQLiteError) {
                let next = try settleAtOnce(part, flushStart: flushStart)
                receipt = receipt?.adding(next) ?? next
            } catch {
                if error.isDiskFull, let (first, second) = part.bisected {
                    parts += [second, first]
                    continue
                }
                guard receipt != nil else { throw error }
                for later in parts.reversed() { part.append(later) }
                receipt?.rest = (part, StorageErrorMapping.error(error, path: path))
                break
            }
        }
        var settled = receipt ?? SettleReceipt()
        settled.room = space.refill(for: settled.progress.bytesLeft)
        return settled
    }

    /// The same in one transaction.
    private func settleAtOnce(_ settlement: Settlement, flushStart: StoreTotals) throws(SQLiteError) -> SettleReceipt {
        var (settlement, receipt) = (settlement, SettleReceipt())
        var copies = settlement.keepsRejected && settlement.runs.contains { $0.departure.rejectionCode != nil }
        func apply(_ ledger: inout StoreLedger) throws(SQLiteError) {
            receipt = try self.apply(settlement, copies: copies, flushStart: flushStart, ledger: &ledger)
        }
        if copies {
            do throws(SQLiteError) {
                try write(apply)
                return receipt
            } catch {
                // The space that is left is for records to leave: they would be sent again and again if they could not.
                guard error.isDiskFull else { throw error }
                RecorderLog.warning("settle: the disk is full; rejected records are not kept.")
                copies = false
            }
        }
        do throws(SQLiteError) {
            try write(for: .settling, apply)
        } catch {
            // For the same reason: a record whose failure is counted is copied.
            guard error.isDiskFull, !settlement.failed.isEmpty else { throw error }
            settlement.countNoFailures()
            try write(for: .settling, apply)
        }
        return receipt
    }

    /// Makes settles durable that were not synced; warns if the disk cannot now, once for the same settles.
    func syncSettles(before deadline: ContinuousClock.Instant) {
        guard !connection.isLogSynced else { return }
        let hasSettles = connection.unsyncedCommits > 0
        let isSynced = try? perform(StoreWriter.syncLog, before: deadline)
        guard isSynced != true, hasSettles else { return }
        RecorderLog.warning("\(path) could not be synced: after a power cut, what was sent last may be sent again.")
    }

    private func syncLog() -> Bool { connection.syncLog() }

    /// Makes sure that there is room for settling an answer, and proves it by a commit of what every settlement changes if
    /// `byCommit`. Returns how large batches may be.
    func prepareToSettle(byCommit: Bool) throws(SQLiteError) -> BatchRoom {
        guard byCommit else { return try space.roomForSettling(try statements.ledger().bytes) }
        var bytes = 0
        func change(_ ledger: inout StoreLedger) throws(SQLiteError) {
            bytes = ledger.bytes
            // SQLite writes no page that stays as it is. Row 0 does not use this column otherwise.
            try connection.execute(
                """
                UPDATE stream SET trouble_at = trouble_at = 0 WHERE number = 0;
                UPDATE stream SET cursor = cursor
                WHERE number IN (SELECT number FROM stream WHERE number > 0 AND records > 0 LIMIT 4);
                UPDATE segment SET removed = removed
                WHERE first_sequence = (SELECT min(first_sequence) FROM segment)
                """
            )
        }
        try write(for: .removing, change)
        return try space.roomForSettling(bytes)
    }

    private func apply(
        _ settlement: Settlement,
        copies: Bool,
        flushStart: StoreTotals,
        ledger: inout StoreLedger
    ) throws(SQLiteError) -> SettleReceipt {
        var receipt = SettleReceipt()
        for run in settlement.runs {
            try remove(run, copies: copies, flushStart: flushStart, ledger: &ledger, receipt: &receipt)
        }
        if copies { try rejected.trim() }
        if receipt.delivered > 0 {
            receipt.progress.entries = settlement.acceptedEntries
            ledger.accept(entries: receipt.progress.entries)
        }
        let retried = settlement.kept.count { $0.file == identity }
        if retried > 0 { ledger.retry(retried) }
        try countFailures(of: settlement.failed.filter { $0.file == identity }.map(\.id), end: ledger.nextSequence)
        receipt.progress.recordsLeft = ledger.records
        receipt.progress.bytesLeft = ledger.bytes
        return receipt
    }

    private func remove(
        _ run: Settlement.Run,
        copies: Bool,
        flushStart: StoreTotals,
        ledger: inout StoreLedger,
        receipt: inout SettleReceipt
    ) throws(SQLiteError) {
        guard let stream = run.records.first?.id.stream else { return }
        let cursor = try statements.cursor(of: stream)
        // Behind the cursor are kept records, and those that a limit discarded while they were in flight. If the stream has no
        // row any more, all were discarded.
        let passed = run.records.prefix { record in cursor.map { record.id <= $0 } ?? true }
        var live: [BatchedRecord] = []
        var discarded: [BatchedRecord] = []
        for record in passed where record.file == identity {
            if copies {
                try copyRejected(run, in: [RecordScan(.kept, connection)], from: record.id, through: record.id)
            }
            if try kept.remove(record.id) { live.append(record) } else { discarded.append(record) }
        }
        if run.departure == .delivered {
            try countDelivered(discarded, since: flushStart, ledger: &ledger, receipt: &receipt)
        }
        let next = run.records[passed.endIndex...]
        if let cursor, let first = next.first?.id, let last = next.last?.id, next.first?.file == identity {
            if copies {
                let ranges = try segments.ranges(
                    from: first.sequence,
                    through: last.sequence,
                    end: ledger.nextSequence
                )
                let tables = ranges.map { RecordScan(BlockTable($0.segment), connection) }
                try copyRejected(run, in: tables, from: first, through: last)
            }
            try segments.move(after: cursor, through: first.previous, to: kept, end: ledger.nextSequence)
            try statements.moveCursor(to: last)
            try segments.countRemoved(next.lazy.map(\.id), end: ledger.nextSequence)
            live = passed.isEmpty ? run.records : live + next
        }
        guard !live.isEmpty else { return }
        let bytes = live.reduce(0) { $0 + $1.storedBytes }
        let unnamed = run.departure == .delivered ? live.count(where: \.isUnnamed) : 0
        ledger.remove(records: live.count, bytes: bytes, unnamed: unnamed, of: stream, as: run.departure)
        switch run.departure {
        case .delivered:
            receipt.progress.delivered += live.count
            receipt.progress.bytes += bytes
        case .cleared: break
        case .discarded(let reason):
            let name = try streams.name(of: stream, in: statements)
            receipt.discards.add(count: live.count, bytes: bytes, stream: name, reason: reason)
        }
    }

    /// Counts one failure of each of these records, which become kept ones.
    private func countFailures(of ids: [RecordID], end: Int64) throws(SQLiteError) {
        for (stream, ids) in Dictionary(grouping: ids, by: \.stream).sorted(by: { $0.key < $1.key }) {
            guard let cursor = try statements.cursor(of: stream), let last = ids.max() else { continue }
            if cursor < last {
                try segments.move(after: cursor, through: last, to: kept, end: end)
                try statements.moveCursor(to: last)
            }
            for id in ids { try kept.countFailure(of: id) }
        }
    }

    /// Counts records as delivered that were removed while they were in flight and that the service accepted.
    ///
    /// Only one flush at a time sends a store's records, so records of its batches that were removed by others were evicted,
    /// expired or cleared since it began: at most as many are moved from one count to the other as these increased since.
    private func countDelivered(
        _ removed: some Collection<BatchedRecord>,
        since start: StoreTotals,
        ledger: inout StoreLedger,
        receipt: inout SettleReceipt
    ) throws(SQLiteError) {
        guard !removed.isEmpty else { return }
        // As of the last commit; what this transaction has moved is in the ledger.
        let now = try StoreTotals(running: connection.prepare(StoreTotals.query))
        let moved = ledger.recounted
        var recount = StoreLedger.Recount()
        for record in removed {
            switch inFlight.reason(of: record) {
            case .byteLimit: recount.evicted += 1
            case .ageLimit: recount.expired += 1
            default: break
            }
        }
        // The others were cleared, or discarded by another process.
        func take(_ count: Int) -> Int { min(max(count, 0), removed.count - recount.count) }
        recount.cleared = take(now.cleared &- start.cleared &- moved.cleared)
        recount.evicted += take(now.evicted &- start.evicted &- moved.evicted &- recount.evicted)
        recount.expired += take(now.expired &- start.expired &- moved.expired &- recount.expired)
        guard recount.count > 0 else { return }
        ledger.recountAsDelivered(recount)
        receipt.progress.delivered += recount.count
        receipt.progress.bytes += removed.prefix(recount.count).reduce(0) { $0 + $1.storedBytes }
    }

    /// Stores why the last flush left streams, for the status, although the disk may be full. Removes the earlier errors of the
    /// streams in `old`; nil stands for all.
    func storeErrors(
        of failures: [FlushReport.Failure],
        replacing old: [StreamName]?,
        now: Date
    ) throws(SQLiteError) {
        try write(for: .removing) { (_) throws(SQLiteError) in
            let reset = "UPDATE stream SET trouble = '', trouble_at = 0 WHERE trouble <> ''"
            if let old {
                let resetOne = try connection.prepare("\(reset) AND name = ?1")
                for stream in old {
                    try resetOne.bind(stream.rawValue, at: 1)
                    try resetOne.run()
                }
            } else {
                try connection.execute(reset)
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
