import FoundationEssentials
import RecorderAWS
import RecorderConcurrency
import RecorderSQLite

/// The writing connection of a process: opening, locking, transactions.
///
/// Every change of a store is a method in an extension, a file each: save, settle, limits, import. They throw `SQLiteError`, which
/// `perform` translates. Not Sendable: `StoreConnections` keeps it behind its lock.
package final class StoreWriter {
    /// Without links. The other files of the store have the same beginning.
    let path: String
    /// As the program named it: links in it may change.
    private let namedPath: String
    /// The file it writes to.
    let fileID: FileIdentity?
    /// The log that it writes to, and its index.
    private let log: LogFiles
    /// Whether an error may be explained by another program that has changed the log.
    var suspectsLog = false
    private let lock: StoreWriteLock
    let space: StoreSpace
    let connection: SQLiteConnection
    let identity: StoreIdentity
    let statements: StoreStatements
    let segments: StoreSegments
    private let keySources: KeySources
    let kept: KeptRecords
    let oldest: OldestRecords
    let heads: StreamHeads
    let filePositions: FilePositionTable
    let rejected: RejectedTable
    let inFlight: InFlightRecords
    var clock: StoreClock
    var streams = StreamNumbers()
    /// The counts after the last transaction, and the version of the file that they belong to.
    private var known: (version: UInt32, ledger: StoreLedger)?
    /// The limits that are stored in the file, as far as this process knows.
    var storedLimits: DiskLimits?
    /// Whether there may be rows of unused streams to remove; true if that is not known.
    var mayHaveUnusedStreams = true
    /// Whether the last save began a segment.
    var hasBegunSegment = false
    /// When the current operation must have its locks.
    private var deadline: ContinuousClock.Instant
    /// When this writer committed last.
    private var lastCommit: ContinuousClock.Instant?
    /// An operation past its deadline still waits this long after a commit: other processes hold the lock, but not for long.
    private static let grace = Duration.seconds(1)

    /// Opens the file, and creates it if it is missing. Waits for the lock between processes until `deadline`. Sets `fileID`
    /// to the file it found, even if that cannot be used.
    init(
        at location: StoreLocation,
        clock: SystemClock,
        inFlight: InFlightRecords,
        before deadline: ContinuousClock.Instant,
        fileID: inout FileIdentity?
    ) throws(RecorderError) {
        let path = try StoreDirectory.prepare(location).path
        namedPath = location.path
        self.path = path
        self.deadline = deadline
        self.clock = StoreClock(clock)
        self.inFlight = inFlight
        let lock = StoreWriteLock(of: path)
        self.lock = lock
        try lock.lock(before: deadline)
        defer { lock.unlock() }
        try StoreFiles.secure(path)
        StoreRescue(path).finishMove()
        lock.forgetRemoved()
        let isEmptied = FileState.isEmptied(path)
        try StoreDirectory.createFile(path)
        fileID = FileIdentity(path)
        if isEmptied { throw StorageErrorMapping.emptied(path) }
        lock.forgetIndexOfOtherLog()
        let reserve = StoreReserve(beside: path)
        let connection = try Self.open(path, reserve: reserve)
        self.connection = connection
        // A file of a lower layer, as in a container, was copied when it was opened: it has another number since. And another one
        // may have been put there.
        let opened = connection.likelyDescriptor.flatMap { FileIdentity(descriptor: $0) }
        if opened != fileID { fileID = FileIdentity(path) == opened ? opened : fileID }
        self.fileID = fileID
        log = lock.noteLog()
        let keySources = KeySources(connection, of: path, clock: clock)
        self.keySources = keySources
        (space, identity, statements, segments, kept) = try StorageErrorMapping.translating(
            path: path,
            (
                try StoreSpace(of: path, connection, reserve: reserve), try StoreIdentity(of: connection, file: fileID),
                try StoreStatements(connection), try StoreSegments(connection, keySources: keySources),
                try KeptRecords(connection)
            )
        )
        oldest = OldestRecords(segments: segments, kept: kept, statements: statements)
        heads = StreamHeads(segments: segments, kept: kept, statements: statements)
        filePositions = FilePositionTable(connection)
        rejected = RejectedTable(connection)
    }

    /// The shared memory of a log takes a little space. If the disk is full and it is missing, there is some only once the
    /// reserve is released. What is left of that is put back before anything is saved.
    private static func open(_ path: String, reserve: StoreReserve) throws(RecorderError) -> SQLiteConnection {
        defer { reserve.allocate() }
        do throws(RecorderError) {
            return try openOnce(path)
        } catch {
            guard case .storage(_, let cause?) = error, cause.isDiskFull, reserve.release() else { throw error }
            return try openOnce(path)
        }
    }

    private static func openOnce(_ path: String) throws(RecorderError) -> SQLiteConnection {
        let connection = try StorageErrorMapping.translating(
            path: path,
            try SQLiteConnection(path: path, access: .readWrite)
        )
        try StoreSchema.prepare(connection, path: path)
        return connection
    }

    /// Whether the file, its log or that one's index was moved, replaced or deleted since it was opened, or a link in its path was
    /// changed, or the log was written to by another program.
    func hasMoved() -> Bool { hasFileMoved() || suspectsLog || lock.hasMoved(log) }

    private func hasFileMoved() -> Bool {
        guard let fileID, let found = FileIdentity(namedPath) else { return true }
        return found != fileID
    }

    /// What became of a store whose files were moved, replaced, deleted or changed by another program.
    enum Moved {
        /// They are as they were.
        case no
        /// What is at its path now has its records.
        case withRecords
        /// What is at its path now may lack some of them.
        case withoutRecords
    }

    /// Called before a moved store is closed, when this process does not read it. Says what is lost.
    func leave() -> Moved {
        guard ForkedProcess.refusal == nil else { return .withRecords }
        guard !hasFileMoved() else {
            leaveMovedFile()
            return .withoutRecords
        }
        suspectsLog = false
        let change = lock.leave(log, isWhole: { connection.hasWholeLog }, moveContent: connection.moveWholeLog)
        if change != .none { connection.leaveLogWhenClosed() }
        let subject = "The write-ahead log of \(path) was"
        let loss =
            "by another program while the store was open: records that were only in it are lost. Stop the programs that use a "
            + "store before you restore its files."
        switch change {
        case .none: return .no
        case .reindexed, .moved: return .withRecords
        case .replaced:
            RecorderLog.warning(
                "\(subject) removed or replaced by another program while the store was open. No record is lost."
            )
            return .withRecords
        case .lost: RecorderLog.warning("\(subject) removed or replaced \(loss)")
        case .overwritten: RecorderLog.warning("\(subject) overwritten \(loss)")
        }
        return .withoutRecords
    }

    /// Moves into a moved file what its log has, if that stayed where it was, and says what becomes of its records.
    private func leaveMovedFile() {
        let now = connection.currentPath.flatMap { FileIdentity($0) == fileID ? $0 : nil }
        // Also without records: those that the log says are settled would be sent again.
        let isWhole = now.map { now in
            FileIdentity("\(now)-wal") == log.log
                || lock.leaveMoved(isWhole: { connection.hasWholeLog }, moveContent: connection.moveWholeLog)
        }
        let records = (try? statements.ledger())?.records
        guard records != 0 else { return }
        let count = records.map { "\($0) records" } ?? "records"
        guard let now, let isWhole else {
            return RecorderLog.warning("\(namedPath) was removed or replaced while it was open: its \(count) are lost.")
        }
        let moved = "\(namedPath) was moved to \(now) while it was open"
        let (old, new) = (URL(fileURLWithPath: namedPath), URL(fileURLWithPath: now))
        let directory = new.deletingLastPathComponent().path
        let advice =
            old.lastPathComponent == new.lastPathComponent
            ? "Send them with a program that uses \(directory), such as kinesis-recorder submit --directory."
            : "Move it as \(old.lastPathComponent) into a directory of its own to send them."
        RecorderLog.warning(
            isWhole
                ? "\(moved): its \(count) stay there, and what is saved from now on is in a new file. \(advice)"
                : "\(moved), and its write-ahead log was not: of its \(count), those that were only in the log are lost. \(advice)"
        )
    }

    /// Closes the connection under the lock, if it is free: closing the last one changes the file.
    static func close(_ writer: inout StoreWriter?) {
        guard let lock = writer?.lock else { return }
        writer?.leaveLogOfOthers()
        lock.closing { isHeld in
            if isHeld { writer?.keepSpace() }
            // The last reference, which a variable for the writer would not be: the connection closes here, under the lock.
            writer = nil
        }
    }

    /// Overwritten content must not be moved into the database.
    private func leaveLogOfOthers() {
        if !hasFileMoved(), hasMoved() || !connection.hasWholeLog { _ = leave() }
    }

    private func keepSpace() {
        guard !hasMoved(), connection.hasWholeLog, ForkedProcess.refusal == nil else { return }
        connection.syncLog()
        guard (try? connection.waitForOthers(until: SystemTime.now)) != nil,
            let ledger = try? statements.ledger()
        else { return }
        space.close(ledger.bytes)
    }

    /// The counts as of the last commit of any process.
    func totals() throws(RecorderError) -> StoreTotals {
        try StorageErrorMapping.translating(
            path: path,
            try StoreTotals(running: connection.prepare(StoreTotals.query))
        )
    }

    // MARK: - operations

    /// Runs one operation under the lock between processes, for which it waits until `deadline`.
    func perform<T, each Argument>(
        _ operation: (StoreWriter) -> (repeat each Argument) throws(SQLiteError) -> T,
        arguments: repeat each Argument,
        before deadline: ContinuousClock.Instant
    ) throws(RecorderError) -> T {
        self.deadline = lastCommit.map { max(deadline, $0 + Self.grace) } ?? deadline
        try lock.lock(before: self.deadline)
        defer { lock.unlock() }
        // Others may use the one that is there: a commit to this one would contradict theirs.
        guard !lock.hasMoved(log), !lock.isLogChanged || connection.hasWholeLog else {
            suspectsLog = true
            throw .storage("The write-ahead log of \(path) was changed by another program. Try again.", nil)
        }
        return try StorageErrorMapping.translating(
            path: path,
            try operation(self)(repeat each arguments)
        )
    }

    // MARK: - transactions

    /// A settle without a sync of its own: a power cut may take it back, so that its records are sent again. A kill does not. It is
    /// durable with the next sync of the log, which each save has; without saves with that of the first settle of a process and of
    /// each eighth, or at the end of a flush.
    private static let mostUnsynced = 7

    /// What a transaction may do with the space that is allocated for settling.
    enum Purpose {
        /// It leaves that space free, and fails if it cannot.
        case storing
        /// It removes records, for which that space is.
        case removing
        /// The same, and it may be committed without a sync.
        case settling
    }

    /// Runs `body` in one transaction, with the counts that it changes. On a full disk `body` runs again, once the log has been
    /// emptied, and if it removes records once more with the reserve.
    func write(
        for purpose: Purpose = .storing,
        _ body: (inout StoreLedger) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try withRoom(for: purpose, running: try writeOnce(for: purpose, body))
    }

    private func withRoom<T>(
        for purpose: Purpose,
        running change: @autoclosure () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        do {
            return try change()
        } catch {
            guard space.restartLog(after: error) else { throw error }
        }
        do {
            return try change()
        } catch {
            guard purpose != .storing, space.releaseReserve(after: error) else { throw error }
        }
        defer { space.restoreReserve() }
        return try change()
    }

    private func writeOnce(
        for purpose: Purpose,
        _ body: (inout StoreLedger) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        do throws(SQLiteError) {
            try connection.waitForOthers(until: deadline)
            let (before, ledger) = try connection.transaction(
                isSynced: purpose != .settling || lastCommit == nil || connection.unsyncedCommits >= Self.mostUnsynced,
                running: try change(for: purpose, body)
            )
            assert(connection.unsyncedCommits <= Self.mostUnsynced, "a power cut repeats eight answers at most")
            lock.accept()
            lastCommit = SystemTime.now
            // Our own commit changes the version too. It is done, whatever fails from here on.
            known = (try? connection.dataVersion()).map { ($0, ledger.carriedOver) }
            if before > 0, ledger.records == 0 {
                trim()
            } else {
                space.trimLog(afterSettle: purpose != .storing)
            }
        } catch {
            // Nor is anything else known: a stream or a segment that was new in this transaction does not exist.
            known = nil
            oldest.forget()
            throw error
        }
    }

    /// Returns the number of records before, and the counts after.
    private func change(
        for purpose: Purpose,
        _ body: (inout StoreLedger) throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> (before: Int, ledger: StoreLedger) {
        if lock.isForeign { try keySources.end() }
        var ledger = try currentLedger()
        let before = ledger.records
        // Their rows are in many pages, for which a full disk may have no room.
        if purpose == .storing { try removeUnusedStreams() }
        try body(&ledger)
        try segments.storeBlocks()
        try statements.write(ledger)
        if purpose == .storing, ledger.records > 0 {
            try space.allocate(for: ledger.bytes, newStreams: statements.takeAddedStreams())
        }
        return (before, ledger)
    }

    /// The counts at the start of a transaction: those of the last one, unless another process wrote since.
    private func currentLedger() throws(SQLiteError) -> StoreLedger {
        let version = try connection.dataVersion()
        guard let known, known.version == version, !lock.isForeign else {
            forget()
            let found = try statements.ledger()
            if let known { lock.warnOfLoss(of: known.ledger.nextSequence - found.nextSequence) }
            return found
        }
        // The only reference now, so that changes copy nothing.
        self.known = nil
        heads.forget()
        oldest.begin(isShared: false)
        return known.ledger
    }

    /// Forgets what it knows of the file between transactions: another process has written, or the last one was rolled back.
    private func forget() {
        space.forget()
        segments.forget()
        kept.forget()
        heads.forget()
        clock.forget()
        streams.forget()
        // What that has read is checked before it is used: to read the oldest segment anew for each save would cost too much.
        oldest.begin(isShared: true)
    }

    /// Called at the start of a transaction, when every stream's row has the right number of records.
    private func removeUnusedStreams() throws(SQLiteError) {
        guard mayHaveUnusedStreams else { return }
        let removed = try statements.removeUnusedStreams()
        if removed > 0 { streams.forget() }
        mayHaveUnusedStreams = removed == StoreStatements.mostStreamsRemoved
    }

    /// Drops the tables of a drained store in commits of their own: a full disk may have room for settling delivered records,
    /// and none for dropping tables.
    private func trim() {
        mayHaveUnusedStreams = true
        space.trim(dropTables: dropTables)
    }

    /// Drops some empty tables; whether there are more.
    private func dropTables() throws(SQLiteError) -> Bool {
        try withRoom(for: .removing, running: try connection.transaction(running: try dropTablesInTransaction()))
    }

    private func dropTablesInTransaction() throws(SQLiteError) -> Bool {
        try removeUnusedStreams()
        return try segments.dropEmptied() || mayHaveUnusedStreams
    }
}

@available(*, unavailable)
extension StoreWriter: Sendable {}
