import Foundation
import RecorderSQLite

/// The one writing connection of a process: every change to a store is a method here, and one transaction.
///
/// Not Sendable: `RecordStore` keeps it behind its lock and on its queue.
final class StoreWriter {
    private let path: String
    /// Which file it writes to.
    let place: FileIdentity?
    private let lock: StoreLock
    private let space: StoreSpace
    let connection: SQLiteConnection
    private let file: StoreIdentity
    private let statements: StoreStatements
    private let segments: StoreSegments
    /// The counts after our last transaction, and the state of the file that they are of.
    private var known: (version: UInt32, ledger: StoreLedger)?
    /// Stream rows are never deleted, so a number once read stays right for as long as the file does.
    private var streamNumbers: [StreamName: Int64] = [:]
    private var streamNames: [Int64: StreamName] = [:]
    /// The stream that was saved to last; mostly it is the next one too, and the quickest to compare with.
    private var lastStream: (name: StreamName, number: Int64)?
    /// The limits that the file names, as far as this process knows.
    private var notedLimits: DiskLimits?

    /// How long a save waits for other processes' commits before it fails.
    private static let lockPatience = Duration.seconds(10)

    /// Tells which file it met even if it cannot use it.
    init(_ location: StoreLocation, _ place: inout FileIdentity?) throws(RecorderError) {
        try StoreDirectory.prepare(location)
        let path = location.path
        self.path = path
        let lock = try StoreLock(path: "\(path).lock")
        self.lock = lock
        try lock.lock(patience: Self.lockPatience)
        defer { lock.unlock() }
        try StoreDirectory.createFile(path)
        place = FileIdentity(path)
        self.place = place
        space = StoreSpace(beside: path)
        // Opening a write-ahead log takes a little space, which a full disk has only if the reserve gives it.
        connection = try space.whereNeeded { () throws(RecorderError) in
            let connection = try StoreTrouble.naming(path) { () throws(SQLiteError) in
                try SQLiteConnection(path: path, access: .readWrite)
            }
            try StoreSchema.prepare(connection, path: path)
            return connection
        }
        let opened = connection
        let prepared = try StoreTrouble.naming(path) { () throws(SQLiteError) in
            try StoreSchema.expected { () throws(SQLiteError) in
                (try StoreIdentity(of: opened), try StoreStatements(opened), try StoreSegments(opened))
            }
        }
        (file, statements, segments) = prepared
        space.keepReserve()
    }

    /// Puts a damaged file aside and a rescued one in its place; nil if somebody else has done so already.
    static func rescue(_ path: String, _ damaged: FileIdentity?) throws(RecorderError) -> Rescue? {
        let lock = try StoreLock(path: "\(path).lock")
        try lock.lock(patience: lockPatience)
        defer { lock.unlock() }
        guard let damaged, damaged == FileIdentity(path) else { return nil }
        return try StoreRescue(path).run()
    }

    /// Whether the file was moved, replaced or deleted since it was opened.
    func hasMoved() -> Bool {
        (try? connection.hasMoved()) ?? true
    }

    /// The counts as of the last commit of any process.
    func totals() throws(RecorderError) -> StoreTotals {
        try StoreTrouble.naming(path) { () throws(SQLiteError) in
            try StoreTotals(running: connection.prepare(StoreTotals.query))
        }
    }

    // MARK: save

    /// Stores a group of saves in their order, and makes room as their limits ask.
    func append(_ saves: [PendingSave], now: Date) throws(RecorderError) -> AppendReceipt {
        var receipt = AppendReceipt()
        let limits = saves.last?.limits
        try write { (ledger) throws(SQLiteError) in
            if let limits, limits != notedLimits { try note(limits) }
            for save in saves {
                if let refusal = save.limits.refusal(of: save.record, besides: ledger) {
                    receipt.answers.append(.refused(refusal))
                    continue
                }
                try insert(save.record, at: now, &ledger)
                let usage = save.limits.reportedUsage(of: ledger.bytes, after: save.record.storedBytes)
                receipt.answers.append(.stored(usage: usage))
                if !save.limits.refusesWhenFull { try evict(beyond: save.limits.bytes, &ledger, &receipt.discards) }
            }
            if let limits { try expire(after: limits.age, now: now, &ledger, &receipt.discards) }
        }
        notedLimits = limits
        return receipt
    }

    private func insert(_ record: Record, at now: Date, _ ledger: inout StoreLedger) throws(SQLiteError) {
        let stream = try number(of: record.stream)
        let insert = try segments.insertForNextRecord(ledger)
        let id = RecordID(stream: stream, sequence: ledger.save(bytes: record.storedBytes, to: stream))
        try insert.bind(id.rawValue, at: 1)
        try insert.bind(now.milliseconds, at: 2)
        do throws(SQLiteError) {
            unsafe try record.withBytes { key, data in
                Result { () throws(SQLiteError) in
                    unsafe try insert.bind(RecordSum.of(id, key: key, data: data), at: 3)
                    unsafe try insert.run(binding: key, data, at: 4)
                }
            }.get()
        } catch {
            // A sequence that is in use already was counted wrong by damage.
            throw error.isConstraint ? .damage(error.message, action: error.action) : error
        }
    }

    private func number(of stream: StreamName) throws(SQLiteError) -> Int64 {
        if let lastStream, lastStream.name == stream { return lastStream.number }
        let number: Int64
        if let known = streamNumbers[stream] {
            number = known
        } else {
            number = try statements.number(of: stream)
            remember(stream, number)
        }
        lastStream = (stream, number)
        return number
    }

    /// Takes over the records of an original's database, once, in one transaction.
    func importRecords(from path: String, _ service: StreamService, now: Date) throws(RecorderError) -> Import {
        let source = try ForeignDatabase(path, for: service)
        var result = Import()
        do throws(RecorderError) {
            try write { (ledger) throws(SQLiteError) in
                // Another process may have taken it, and forgotten it again, while this one waited for the lock.
                guard source.isInPlace, try statements.addImport("\(source.identity)") else { return }
                result.skipped = try source.read(now: now) { (row) throws(SQLiteError) in
                    try insert(row.record, at: row.savedAt, &ledger)
                    result.imported += 1
                }
            }
        } catch {
            throw source.trouble ?? error
        }
        // The note was for a death before the renaming. That it stays is no reason to call the import failed.
        guard source.putAside() else { return result }
        try? write { (_) throws(SQLiteError) in try statements.removeImport("\(source.identity)") }
        return result
    }

    // MARK: limits

    /// Discards the oldest records of all streams until the store is within `limit` bytes.
    private func evict(
        beyond limit: Int,
        _ ledger: inout StoreLedger,
        _ discards: inout [Discard]
    ) throws(SQLiteError) {
        guard limit > 0 else { return }
        while ledger.bytes > limit, let span = try segments.oldest(before: ledger.nextSequence) {
            let oldest = try segments.table(span.segment).oldest
            guard try oldest.step() else {
                // To drop its table would lose, unsaid, whatever damage hid there; a rescue counts it.
                throw SQLiteError.damage("the oldest segment has no record", action: "making room")
            }
            let id = RecordID(rawValue: oldest.integer(at: 0))
            let bytes = Int(oldest.integer(at: 1)) + Record.overhead
            oldest.reset()
            // Behind a cursor out of range, what is gone already would count as the oldest.
            _ = try statements.cursor(of: id.stream)
            try statements.moveCursor(to: id)
            try segments.remove(1, from: span.segment, before: span.sequences.upperBound)
            try discard(1, bytes, of: id.stream, .byteLimit, &ledger, &discards)
        }
    }

    /// Discards what is older than `limit` at the head of each stream; zero keeps everything.
    func expire(after limit: Duration, now: Date) throws(RecorderError) -> [Discard] {
        var discards: [Discard] = []
        try makeRoom { (ledger) throws(SQLiteError) in try expire(after: limit, now: now, &ledger, &discards) }
        return discards
    }

    private func expire(
        after limit: Duration,
        now: Date,
        _ ledger: inout StoreLedger,
        _ discards: inout [Discard]
    ) throws(SQLiteError) {
        guard limit > .zero else { return }
        let oldestKept = now.milliseconds - limit.milliseconds
        for (stream, _) in try statements.allStreams() {
            let cursor = try statements.cursor(of: stream)
            var expired: [RecordID] = []
            var bytes = 0
            let last = RecordID(stream: stream, sequence: ledger.nextSequence)
            for segment in try segments.list() {
                let head = try segments.table(segment).head
                try head.bind(from: cursor.next, through: last)
                var isOlder = true
                while isOlder, try head.step() {
                    isOlder = head.integer(at: 1) < oldestKept
                    guard isOlder else { break }
                    expired.append(RecordID(rawValue: head.integer(at: 0)))
                    bytes += Int(head.integer(at: 2)) + Record.overhead
                }
                head.reset()
                guard isOlder else { break }
            }
            guard let newest = expired.last else { continue }
            try statements.moveCursor(to: newest)
            try segments.count(removed: expired, until: ledger.nextSequence)
            try discard(expired.count, bytes, of: stream, .ageLimit, &ledger, &discards)
        }
    }

    // MARK: settle

    /// Removes what was answered for and counts the failures of what stays, in one transaction.
    ///
    /// - Returns: how many records are now delivered, and what was discarded.
    func settle(_ settlement: Settlement) throws(RecorderError) -> SettleReceipt {
        var receipt = SettleReceipt()
        try makeRoom { (ledger) throws(SQLiteError) in
            for run in settlement.runs {
                try remove(run, &ledger, &receipt)
            }
            let kept = settlement.kept.count { $0.file == file }
            if kept > 0 { ledger.retry(kept) }
            let failed = settlement.failed.filter { $0.file == file }.map(\.id).sorted()
            try segments.countFailures(failed, until: ledger.nextSequence)
            receipt.progress.recordsLeft = ledger.records
            receipt.progress.bytesLeft = ledger.bytes
        }
        return receipt
    }

    private func remove(
        _ run: Settlement.Run,
        _ ledger: inout StoreLedger,
        _ receipt: inout SettleReceipt
    ) throws(SQLiteError) {
        guard let stream = run.records.first?.id.stream else { return }
        // A limit may have discarded some while they were in flight: always the oldest, behind the cursor now.
        let cursor = try statements.cursor(of: stream)
        let live = run.records.drop { $0.id <= cursor }
        guard let first = live.first?.id, let last = live.last?.id, live.first?.file == file else { return }
        if try segments.haveRecords(after: cursor, before: first, until: ledger.nextSequence) {
            try segments.delete(from: first, through: last, until: ledger.nextSequence)
        } else {
            try statements.moveCursor(to: last)
        }
        try segments.count(removed: live.lazy.map(\.id), until: ledger.nextSequence)
        let count = live.count
        let bytes = live.reduce(0) { $0 + $1.storedBytes }
        switch run.outcome {
        case .delivered:
            ledger.remove(count, bytes: bytes, of: stream, as: .delivered)
            receipt.progress.delivered += count
            receipt.progress.bytes += bytes
        case .discarded(let reason):
            try discard(count, bytes, of: stream, reason, &ledger, &receipt.discards)
        }
    }

    // MARK: clear

    /// Removes every record, and returns how many there were.
    func clear() throws(RecorderError) -> Int {
        var count = 0
        try makeRoom { (ledger) throws(SQLiteError) in
            count = ledger.records
            for segment in try segments.list() { try segments.empty(segment) }
            try statements.clear(before: ledger.nextSequence)
            ledger.clear()
        }
        return count
    }

    // MARK: - one transaction

    /// Runs `body` under the lock between processes, in one transaction, with the counts it works on.
    func write(
        settles: Bool = false,
        _ body: (inout StoreLedger) throws(SQLiteError) -> Void
    ) throws(RecorderError) {
        try lock.lock(patience: Self.lockPatience)
        defer { lock.unlock() }
        do throws(RecorderError) {
            let isDrained = try StoreTrouble.naming(path) { () throws(SQLiteError) in
                let (before, ledger) = try connection.transaction { () throws(SQLiteError) in
                    var ledger = try currentLedger()
                    let before = ledger.records
                    try body(&ledger)
                    try statements.write(ledger)
                    return (before, ledger)
                }
                // Our own commit is a change as well; it is durable, whatever comes now.
                known = (try? connection.dataVersion()).map { ($0, ledger.carriedOver) }
                return before > 0 && ledger.records == 0
            }
            if isDrained { giveBack() } else { space.tidy(connection, settles: settles) }
        } catch {
            // A stream or a segment that was new in this transaction is not there after all.
            known = nil
            segments.forgetTables()
            lastStream = nil
            streamNumbers = [:]
            streamNames = [:]
            throw error
        }
    }

    /// Drops the tables of a drained store in commits of their own: a full disk may have room for the proof of a delivery,
    /// and none for that.
    private func giveBack() {
        space.giveBack(connection) { () throws(RecorderError) in
            try StoreTrouble.naming(path) { () throws(SQLiteError) in
                try connection.transaction { () throws(SQLiteError) in try segments.dropEmptied() }
            }
        }
    }

    /// The counts at the start of a transaction: those of our last one, unless another process wrote since.
    private func currentLedger() throws(SQLiteError) -> StoreLedger {
        let version = try connection.dataVersion()
        if let known, known.version == version { return known.ledger }
        segments.forget()
        return try statements.ledger()
    }

    /// The same for what makes room: on a full disk it may use the reserve.
    private func makeRoom(_ body: (inout StoreLedger) throws(SQLiteError) -> Void) throws(RecorderError) {
        try space.whereNeeded { () throws(RecorderError) in try write(settles: true, body) }
    }

    // MARK: - discards

    private func discard(
        _ count: Int,
        _ bytes: Int,
        of stream: Int64,
        _ reason: Discard.Reason,
        _ ledger: inout StoreLedger,
        _ discards: inout [Discard]
    ) throws(SQLiteError) {
        guard count > 0 else { return }
        ledger.remove(count, bytes: bytes, of: stream, as: .discarded(reason))
        let name = try name(of: stream)
        if let index = discards.firstIndex(where: { $0.reason == reason }) {
            discards[index].count += count
            discards[index].bytes += bytes
            discards[index].streams.insert(name)
        } else {
            discards.append(Discard(reason: reason, count: count, bytes: bytes, streams: [name]))
        }
    }

    private func name(of stream: Int64) throws(SQLiteError) -> StreamName {
        if streamNames[stream] == nil {
            for (number, name) in try statements.allStreams() { remember(name, number) }
        }
        return streamNames[stream] ?? StreamName(unchecked: "?")
    }

    private func remember(_ stream: StreamName, _ number: Int64) {
        streamNumbers[stream] = number
        streamNames[number] = stream
    }
}

@available(*, unavailable)
extension StoreWriter: Sendable {}
