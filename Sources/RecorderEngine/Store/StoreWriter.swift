import RecorderSQLite

/// The writing connection of a process: opening, locking, transactions.
///
/// Every change of a store is a method in an extension, a file each: save, settle, limits, import. They throw `SQLiteError`, which
/// `perform` translates. Not Sendable: `StoreConnections` keeps it behind its lock.
final class StoreWriter {
    /// Without links. The other files of the store have the same beginning.
    let path: String
    /// As the program named it: links in it may change.
    private let namedPath: String
    /// The file it writes to.
    let fileID: FileIdentity?
    private let lock: StoreWriteLock
    private let space: StoreSpace
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
        before deadline: ContinuousClock.Instant,
        fileID: inout FileIdentity?
    ) throws(RecorderError) {
        let path = try StoreDirectory.prepare(location).path
        namedPath = location.path
        self.path = path
        self.deadline = deadline
        self.clock = StoreClock(clock)
        let lock = StoreWriteLock(of: path)
        self.lock = lock
        try lock.lock(before: deadline)
        defer { lock.unlock() }
        try StoreFiles.secure(path)
        try StoreDirectory.createFile(path)
        fileID = FileIdentity(path)
        self.fileID = fileID
        space = StoreSpace(beside: path)
        let connection = try Self.open(path, space: space)
        self.connection = connection
        let keySources = KeySources(connection, of: path, clock: clock)
        self.keySources = keySources
        (identity, statements, segments, kept) = try StorageErrorMapping.translating(
            path: path,
            (
                try StoreIdentity(of: connection), try StoreStatements(connection),
                try StoreSegments(connection, keySources: keySources), try KeptRecords(connection)
            )
        )
        oldest = OldestRecords(segments: segments, kept: kept, statements: statements)
        heads = StreamHeads(segments: segments, kept: kept, statements: statements)
        filePositions = FilePositionTable(connection)
        rejected = RejectedTable(connection)
        space.allocateReserve()
    }

    /// Opening a log takes a little space. On a full disk there is some only once the reserve is released.
    private static func open(_ path: String, space: StoreSpace) throws(RecorderError) -> SQLiteConnection {
        do throws(RecorderError) {
            return try openOnce(path)
        } catch {
            guard case .storage(_, let sqliteError?) = error, space.releaseReserve(after: sqliteError) else {
                throw error
            }
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

    /// Whether the file was moved, replaced or deleted since it was opened, or a link in its path was changed.
    func hasMoved() -> Bool {
        guard let fileID, let found = FileIdentity(namedPath) else { return true }
        return found != fileID
    }

    /// Closes the connection under the lock, if it is free: closing the last one changes the file.
    static func close(_ writer: inout StoreWriter?) {
        guard let lock = writer?.lock else { return }
        lock.closing { writer = nil }
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
        return try StorageErrorMapping.translating(
            path: path,
            try operation(self)(repeat each arguments)
        )
    }

    // MARK: - transactions

    /// Runs `body` in one transaction, with the counts that it changes.
    func write(
        settles: Bool = false,
        _ body: (inout StoreLedger) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        do throws(SQLiteError) {
            try connection.waitForOthers(until: deadline)
            let (before, ledger) = try connection.transaction(running: try change(body))
            lock.accept()
            lastCommit = .now
            // Our own commit changes the version too. It is durable, whatever fails from here on.
            known = (try? connection.dataVersion()).map { ($0, ledger.carriedOver) }
            if before > 0, ledger.records == 0 {
                trim()
            } else {
                space.trimLog(connection, afterSettle: settles)
            }
        } catch {
            // A stream or a segment that was new in this transaction does not exist.
            known = nil
            segments.forgetTables()
            kept.forget()
            oldest.forget()
            heads.forget()
            clock.forget()
            streams.forget()
            filePositions.forgetStatements()
            throw error
        }
    }

    /// The same for changes that free space: on a full disk they may use the reserve.
    func writeFreeingSpace(_ body: (inout StoreLedger) throws(SQLiteError) -> Void) throws(SQLiteError) {
        do {
            try write(settles: true, body)
        } catch {
            guard space.releaseReserve(after: error) else { throw error }
            do {
                try write(settles: true, body)
            } catch {
                _ = space.releaseReserve(after: error)
                throw error
            }
        }
    }

    /// Returns the number of records before, and the counts after.
    private func change(
        _ body: (inout StoreLedger) throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> (before: Int, ledger: StoreLedger) {
        if lock.isForeign { try keySources.end() }
        var ledger = try currentLedger()
        let before = ledger.records
        try removeUnusedStreams()
        try body(&ledger)
        try segments.storeBlocks()
        try statements.write(ledger)
        return (before, ledger)
    }

    /// The counts at the start of a transaction: those of the last one, unless another process wrote since.
    private func currentLedger() throws(SQLiteError) -> StoreLedger {
        let version = try connection.dataVersion()
        heads.forget()
        if let known, known.version == version, !lock.isForeign {
            // The only reference now, so that changes copy nothing.
            self.known = nil
            oldest.begin(isShared: false)
            return known.ledger
        }
        oldest.begin(isShared: true)
        streams.forget()
        segments.forgetCurrent()
        kept.forget()
        return try statements.ledger()
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
        space.trim(connection, dropTables: dropTables)
    }

    /// Drops some empty tables; whether there are more.
    private func dropTables() throws(SQLiteError) -> Bool {
        do {
            return try connection.transaction(running: try dropTablesInTransaction())
        } catch {
            guard space.releaseReserve(after: error) else { throw error }
            return try connection.transaction(running: try dropTablesInTransaction())
        }
    }

    private func dropTablesInTransaction() throws(SQLiteError) -> Bool {
        try removeUnusedStreams()
        return try segments.dropEmptied() || mayHaveUnusedStreams
    }
}

@available(*, unavailable)
extension StoreWriter: Sendable {}
