import Foundation
import RecorderSQLite

/// The one writing connection of a process: every change to a store is a method here, and one transaction.
///
/// Not Sendable: `RecordStore` keeps it behind its lock and on its queue.
final class StoreWriter {
    /// Without links; what is beside the database has the beginning in common.
    let path: String
    /// As the program named it: links in it may come to lead elsewhere.
    private let namedPath: String
    /// Which file it writes to.
    let place: FileIdentity?
    private let lock: StoreLock
    private let space: StoreSpace
    let connection: SQLiteConnection
    private let file: StoreIdentity
    private let statements: StoreStatements
    private let segments: StoreSegments
    let oldest: OldestRecords
    var clock: StoreClock
    /// The counts after our last transaction, and the state of the file that they are of.
    private var known: (version: UInt32, ledger: StoreLedger)?
    /// Right until another process writes, which may remove the rows of streams that are not used any more.
    private var streamNumbers: [StreamName: Int64] = [:]
    private var streamNames: [Int64: StreamName] = [:]
    /// The stream that was saved to last; mostly it is the next one too, and the quickest to compare with.
    private var lastStream: (name: StreamName, number: Int64)?
    /// The limits that the file names, as far as this process knows.
    private var notedLimits: DiskLimits?
    /// Whether rows of unused streams are to be removed; not known at first.
    private var mayHaveUnusedStreams = true
    /// When the work under way must have the lock between processes.
    private var deadline: ContinuousClock.Instant
    /// When this writer committed last.
    private var lastCommit: ContinuousClock.Instant?
    /// Work that is past its deadline still waits this long after a commit: others hold the lock, but not for long.
    private static let grace = Duration.seconds(1)

    /// Tells which file it met even if it cannot use it. Waits for the lock between processes until `deadline`.
    init(
        _ location: StoreLocation,
        _ system: SystemClock,
        before deadline: ContinuousClock.Instant,
        _ place: inout FileIdentity?
    ) throws(RecorderError) {
        let path = try StoreDirectory.prepare(location).path
        namedPath = location.path
        self.path = path
        self.deadline = deadline
        clock = StoreClock(system)
        let lock = StoreLock(path: "\(path).lock")
        self.lock = lock
        try lock.lock(until: deadline)
        defer { lock.unlock() }
        try StoreFiles.secure(path)
        try StoreDirectory.createFile(path)
        place = FileIdentity(path)
        self.place = place
        space = StoreSpace(beside: path)
        // Opening a write-ahead log takes a little space, which a full disk has only if the reserve gives it.
        connection = try space.whereNeeded { () throws(RecorderError) in
            let connection = try StorageErrorMapping.naming(path) { () throws(SQLiteError) in
                try SQLiteConnection(path: path, access: .readWrite)
            }
            try StoreSchema.prepare(connection, path: path)
            return connection
        }
        let opened = connection
        let prepared = try StorageErrorMapping.naming(path) { () throws(SQLiteError) in
            try StoreSchema.expected { () throws(SQLiteError) in
                (try StoreIdentity(of: opened), try StoreStatements(opened), try StoreSegments(opened))
            }
        }
        (file, statements, segments) = prepared
        oldest = OldestRecords(segments, statements)
        space.keepReserve()
    }

    /// The same writer for work that must have the lock before `deadline`.
    func working(before deadline: ContinuousClock.Instant) -> StoreWriter {
        self.deadline = lastCommit.map { max(deadline, $0 + Self.grace) } ?? deadline
        return self
    }

    /// Puts a damaged file aside and a rescued one in its place; nil if somebody else has done so already.
    static func rescue(
        _ path: String,
        _ damaged: FileIdentity?,
        before deadline: ContinuousClock.Instant
    ) throws(RecorderError) -> Rescue? {
        let lock = StoreLock(path: "\(path).lock")
        try lock.lock(until: deadline)
        defer { lock.unlock() }
        guard let damaged, damaged == FileIdentity(path) else { return nil }
        return try StoreRescue(path).run()
    }

    /// Whether the file was moved, replaced or deleted since it was opened, or a link in its path leads elsewhere.
    func hasMoved() -> Bool {
        guard let place, let found = FileIdentity(namedPath) else { return true }
        return found != place
    }

    /// The counts as of the last commit of any process.
    func totals() throws(RecorderError) -> StoreTotals {
        try StorageErrorMapping.naming(path) { () throws(SQLiteError) in
            try StoreTotals(running: connection.prepare(StoreTotals.query))
        }
    }

    // MARK: save

    /// Stores a group of saves in their order, and makes room as their limits ask.
    func append(_ saves: [PendingSave]) throws(RecorderError) -> AppendReceipt {
        var receipt = AppendReceipt()
        let limits = saves.last?.limits
        try write { (ledger) throws(SQLiteError) in
            let now = try clock.now(connection)
            if let limits, limits != notedLimits { try note(limits) }
            for save in saves {
                if let refusal = save.limits.refusal(of: save.record, besides: ledger) {
                    receipt.answers.append(.refused(refusal))
                    continue
                }
                try insert(save.record, at: now, &ledger)
                let usage = save.limits.reportedUsage(of: ledger.bytes, after: save.record.storedBytes)
                receipt.answers.append(.stored(usage: usage))
                if !save.limits.refusesWhenFull { try evict(beyond: save.limits.bytes, &ledger, &receipt.discarded) }
            }
            if let limits { try expire(after: limits.age, at: now, &ledger, &receipt.discarded) }
            try oldest.remove(until: ledger.nextSequence)
        }
        notedLimits = limits
        return receipt
    }

    private func insert(_ record: Record, at now: Int64, _ ledger: inout StoreLedger) throws(SQLiteError) {
        let stream = try number(of: record.stream, ledger)
        let insert = try segments.insertForNextRecord(ledger) {
            oldest.segmentBegan()
            mayHaveUnusedStreams = true
        }
        let id = RecordID(stream: stream, sequence: ledger.save(bytes: record.storedBytes, to: stream))
        try insert.bind(id.rawValue, at: 1)
        try insert.bind(now, at: 2)
        do throws(SQLiteError) {
            unsafe try record.withBytes { key, data in
                Result { () throws(SQLiteError) in
                    unsafe try insert.bind(RecordChecksum.of(id, key: key, data: data), at: 3)
                    unsafe try insert.run(binding: key, data, at: 4)
                }
            }.get()
        } catch {
            // A sequence that is in use already was counted wrong by damage.
            throw error.isConstraint ? .damage(error.message, action: error.action) : error
        }
        oldest.saved(id, at: now, storedBytes: record.storedBytes)
    }

    private func number(of stream: StreamName, _ ledger: StoreLedger) throws(SQLiteError) -> Int64 {
        if let lastStream, lastStream.name == stream { return lastStream.number }
        let number: Int64
        if let known = streamNumbers[stream] {
            number = known
        } else {
            number = try statements.number(of: stream, next: ledger.nextSequence)
            remember(stream, number)
        }
        lastStream = (stream, number)
        return number
    }

    /// Takes over the records of an original's database, once, in one transaction.
    func importRecords(from path: String, _ service: StreamServiceDescription, now: Date) throws(RecorderError)
        -> Import
    {
        let source = try LegacyDatabase(path, for: service)
        var result = Import()
        do throws(RecorderError) {
            try write { (ledger) throws(SQLiteError) in
                let time = try clock.now(connection)
                // Another process may have taken it, and forgotten it again, while this one waited for the lock.
                guard source.isInPlace, try statements.addImport("\(source.identity)") else { return }
                result.skipped = try source.read(now: now) { (row) throws(SQLiteError) in
                    // A time that is yet to come is some other clock's.
                    let age = max(now.milliseconds - row.savedAt.milliseconds, 0)
                    try insert(row.record, at: time - age, &ledger)
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

    // MARK: settle

    /// Removes what was answered for and counts the failures of what stays, in one transaction.
    ///
    /// - Returns: how many records are now delivered, and what was discarded.
    func settle(
        _ settlement: Settlement,
        since flushStart: StoreTotals? = nil
    ) throws(RecorderError) -> SettleReceipt {
        var receipt = SettleReceipt()
        try makeRoom { (ledger) throws(SQLiteError) in
            for run in settlement.runs {
                try remove(run, since: flushStart, &ledger, &receipt)
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
        since flushStart: StoreTotals?,
        _ ledger: inout StoreLedger,
        _ receipt: inout SettleReceipt
    ) throws(SQLiteError) {
        guard let stream = run.records.first?.id.stream else { return }
        // A limit may have discarded some while they were in flight: always the oldest, behind the cursor now.
        // Of a stream that is not known any more, all.
        let cursor = try statements.cursor(of: stream)
        let gone = run.records.prefix { record in cursor.map { record.id <= $0 } ?? true }
        if run.outcome == .delivered, gone.first?.file == file {
            try countDelivered(gone, since: flushStart, &ledger, &receipt)
        }
        let live = run.records[gone.endIndex...]
        guard let cursor, let first = live.first?.id, let last = live.last?.id, live.first?.file == file else { return }
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
            ledger.remove(count, bytes: bytes, of: stream, as: .discarded(reason))
            try receipt.discards.add(count, bytes: bytes, stream: name(of: stream), reason: reason)
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
        try lock.lock(until: deadline)
        defer { lock.unlock() }
        do throws(RecorderError) {
            let isDrained = try StorageErrorMapping.naming(path) { () throws(SQLiteError) in
                try connection.waitForOthers(until: deadline)
                let (before, ledger) = try connection.transaction { () throws(SQLiteError) in
                    var ledger = try currentLedger()
                    let before = ledger.records
                    try removeUnusedStreams()
                    try body(&ledger)
                    try statements.write(ledger)
                    return (before, ledger)
                }
                lastCommit = .now
                // Our own commit is a change as well; it is durable, whatever comes now.
                known = (try? connection.dataVersion()).map { ($0, ledger.carriedOver) }
                return before > 0 && ledger.records == 0
            }
            if isDrained { giveBack() } else { space.tidy(connection, settles: settles) }
        } catch {
            // A stream or a segment that was new in this transaction is not there after all.
            known = nil
            segments.forgetTables()
            oldest.forget()
            clock.forget()
            forgetStreams()
            throw error
        }
    }

    /// Once in a while, and at the start of a transaction, where every stream's row tells how many records it has.
    private func removeUnusedStreams() throws(SQLiteError) {
        guard mayHaveUnusedStreams else { return }
        let removed = try statements.removeUnusedStreams()
        if removed > 0 { forgetStreams() }
        mayHaveUnusedStreams = removed == StoreStatements.mostStreamsRemoved
    }

    /// Drops the tables of a drained store in commits of their own: a full disk may have room for the proof of a delivery,
    /// and none for that.
    private func giveBack() {
        mayHaveUnusedStreams = true
        space.giveBack(connection) { () throws(RecorderError) in
            try StorageErrorMapping.naming(path) { () throws(SQLiteError) in
                try connection.transaction { () throws(SQLiteError) in
                    try removeUnusedStreams()
                    return try segments.dropEmptied() || mayHaveUnusedStreams
                }
            }
        }
    }

    /// The counts at the start of a transaction: those of our last one, unless another process wrote since.
    private func currentLedger() throws(SQLiteError) -> StoreLedger {
        let version = try connection.dataVersion()
        if let known, known.version == version {
            oldest.begin(isShared: false)
            return known.ledger
        }
        oldest.begin(isShared: true)
        forgetStreams()
        segments.forget()
        return try statements.ledger()
    }

    /// The same for what makes room: on a full disk it may use the reserve.
    func makeRoom(_ body: (inout StoreLedger) throws(SQLiteError) -> Void) throws(RecorderError) {
        try space.whereNeeded { () throws(RecorderError) in try write(settles: true, body) }
    }

    // MARK: - streams

    func name(of stream: Int64) throws(SQLiteError) -> StreamName {
        if let known = streamNames[stream] { return known }
        guard let name = try statements.name(of: stream) else { return StreamName(unchecked: "?") }
        remember(name, stream)
        return name
    }

    private func forgetStreams() {
        lastStream = nil
        streamNumbers = [:]
        streamNames = [:]
    }

    private func remember(_ stream: StreamName, _ number: Int64) {
        streamNumbers[stream] = number
        streamNames[number] = stream
    }
}

@available(*, unavailable)
extension StoreWriter: Sendable {}
