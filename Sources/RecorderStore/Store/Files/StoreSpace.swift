import RecorderSQLite

/// The disk space of a store besides its records: what settling needs, the log, free pages, and a reserve.
///
/// A full disk must not keep delivered records from leaving: they would be sent again. Settling writes to the log, and the next
/// checkpoint copies the log to the database. So before a commit is accepted, both files get room for all of that (`SettleNeeds`).
/// It is allocated in steps: most commits only compare numbers. A checkpoint then always succeeds, and the log begins anew in the
/// space that it has.
///
/// The reserve is for what cannot be allocated ahead, see `StoreReserve`. After each use, what is left is put back.
///
/// Belongs to the writer; every method is called under the lock between processes.
final class StoreSpace {
    private let path: String
    private let connection: SQLiteConnection
    private let reserve: StoreReserve
    private let log: LogFile
    private let countPages: SQLiteStatement
    private let countFreePages: SQLiteStatement
    private let countStreams: SQLiteStatement
    /// The rows of streams; nil until that is looked up.
    private var streams: Int?
    /// The pages for which the database's file and the log have room; 0 until that is looked up.
    private var databaseRoom = 0
    private var logRoom = 0
    /// Pages of the log as of the last commit.
    private var logPages = 0
    /// Pages of the log that settles wrote since the last checkpoint.
    private var settledPages = 0

    /// The log is checkpointed beyond this many pages (4 KiB each), so that damage can affect little, and the store stays
    /// within its documented size.
    private static let longestLog = 750
    /// Settles write the same few pages again and again: there is little to copy, and overwriting the log costs less than
    /// extending it (a tenth of the processor time of draining 200,000 small records).
    private static let mostSettledPages = 100
    /// A drained store with fewer free pages than this is not rewritten. The number is small because a full disk needs each page.
    private static let fewestFreePages = 16
    /// The most pages by which the database grows ahead of its need: each step is synced.
    private static let largestStep = 256

    init(of database: String, _ connection: SQLiteConnection, reserve: StoreReserve) throws(SQLiteError) {
        path = database
        self.connection = connection
        self.reserve = reserve
        log = LogFile(of: database)
        countPages = try connection.prepare("PRAGMA page_count")
        countFreePages = try connection.prepare("PRAGMA freelist_count")
        countStreams = try connection.prepare("SELECT count(*) FROM stream")
        try connection.setAllocationUnit()
        connection.keepsDatabaseSize = true
    }

    /// Called before the connection to a store with `bytes` of records is closed. SQLite would remove the log, and on a disk that
    /// is full by then the next program could not settle. The log is emptied, unless its space may not be there again.
    func close(_ bytes: Int) {
        guard bytes > 0, let needs = try? needs(for: bytes) else { return }
        if !DiskSpace.isScarce(at: path) {
            try? connection.checkpoint(.truncate)
            _ = log.allocate(pages: needs.logPages)
        }
        connection.keepLogWhenClosed()
    }

    /// Called when another process may have changed the files, and after a rollback.
    func forget() {
        databaseRoom = 0
        logRoom = 0
        streams = nil
    }

    // MARK: - room

    private func needs(for bytes: Int) throws(SQLiteError) -> SettleNeeds {
        if streams == nil { streams = try count(countStreams) }
        return SettleNeeds(pages: try count(countPages), bytes: bytes, streams: streams ?? 0)
    }

    /// Called at the end of a transaction, before its commit: allocates what settling will need once the store has `bytes` of
    /// records. Throws if the disk is full.
    func allocate(for bytes: Int, newStreams: Int = 0) throws(SQLiteError) {
        streams? += newStreams
        let needs = try needs(for: bytes)
        if logRoom < needs.logPages {
            let allocation = log.allocate(pages: needs.logPages)
            guard try isAllocated(allocation) else { throw SQLiteError.full(action: "allocating the log") }
            if allocation != .notOpened { logRoom = needs.logPages }
        }
        if databaseRoom < needs.wholeDatabasePages { try extendDatabase(to: needs.wholeDatabasePages) }
    }

    private func extendDatabase(to pages: Int) throws(SQLiteError) {
        databaseRoom = max(databaseRoom, connection.databaseFilePages)
        guard databaseRoom < pages else { return }
        for size in [pages + min(pages / 8, Self.largestStep), pages] where connection.allocateDatabase(pages: size) {
            databaseRoom = size
            // After a power cut others may have what was not synced, and the log is synced with the commit: without room for its
            // pages in the database it never begins anew.
            connection.syncDatabaseSize()
            return
        }
        // It may have got a part of that.
        databaseRoom = max(databaseRoom, connection.databaseFilePages)
        // SQLite does not say why.
        let missing = (pages - databaseRoom) * SQLiteConnection.pageSize
        guard missing <= 0 ? true : try isAllocated(log.allocate(bytesMore: missing)) else {
            throw SQLiteError.full(action: "allocating the database")
        }
    }

    /// False if the disk is full. A file system without allocation promises nothing, and is no reason to refuse records; a disk
    /// that fails is one: what is acknowledged can be settled.
    private func isAllocated(_ allocation: LogFile.Allocation) throws(SQLiteError) -> Bool {
        switch allocation {
        case .allocated, .unknown, .notOpened: return true
        case .full: return false
        case .failed: throw SQLiteError.diskFailed(action: "allocating the log")
        }
    }

    /// Called after a commit that removed records: allocates what later ones will need, as far as possible, and says how large
    /// batches may be.
    func refill(for bytes: Int) -> BatchRoom {
        let isAllocated = (try? allocate(for: bytes)) != nil
        if isAllocated, !isNearLargestFile {
            return DiskSpace.isScarce(at: path) ? .upTo(SettleNeeds.largestBatch) : .any
        }
        guard let pages = try? count(countPages), let free = try? count(countFreePages) else { return .single }
        // A checkpoint needs the whole database; without one, what the log has now stays there.
        let isWhole = databaseRoom >= pages
        return SettleNeeds.room(
            databasePages: isWhole ? min(databaseRoom, Self.largestDatabase) - pages + free : 0,
            logPages: min(log.allocatedPages, Self.largestLog) - (isWhole ? 0 : connection.walPages)
        )
    }

    /// The pages of the largest database and of the longest log that this process may write.
    private static var largestDatabase: Int { DiskSpace.largestFile / SQLiteConnection.pageSize }
    private static var largestLog: Int { LogFile.pages(bytes: DiskSpace.largestFile) }
    /// Whether a large batch may need more than that.
    private var isNearLargestFile: Bool {
        min(Self.largestDatabase - databaseRoom, Self.largestLog - connection.walPages) < Self.largestBatch
    }
    /// The pages that the largest batch may need, generously.
    private static let largestBatch = 4_096

    /// The same before anything is sent. Throws if there is no room for settling even one record; uses the reserve if it must.
    func roomForSettling(_ bytes: Int) throws(SQLiteError) -> BatchRoom {
        assert(
            LogFile.bytes(pages: SettleNeeds.scarceLogPages) + StoreReserve.sharedMemory <= StoreReserve.size,
            "the reserve has room for an opening and for settling a record"
        )
        // Without checkpoints the log only grows, until it must not either.
        guard try count(countPages) <= Self.largestDatabase, SettleNeeds.fewestLogPages <= Self.largestLog else {
            throw SQLiteError.tooLarge(action: "allocating the log")
        }
        forget()
        let room = refill(for: bytes)
        guard room == .single else {
            // It may have been used while the disk was full.
            if room == .any { reserve.allocate() }
            return room
        }
        if connection.databaseFilePages >= (try count(countPages)), try allocateLog(SettleNeeds.fewestLogPages) {
            return room
        }
        _ = reserve.release()
        defer { reserve.allocate() }
        // The whole database first: without it, the log never begins anew.
        try? connection.checkpoint(.restart)
        for pages in [SettleNeeds.scarceLogPages, SettleNeeds.fewestLogPages] where try allocateLog(pages) {
            return refill(for: bytes)
        }
        throw SQLiteError.full(action: "allocating the log")
    }

    /// Allocates so many pages of the log, as it is now or after a checkpoint; false if the disk is full.
    private func allocateLog(_ pages: Int) throws(SQLiteError) -> Bool {
        let used = connection.databaseFilePages >= (try count(countPages)) ? 0 : connection.walPages
        return try isAllocated(log.allocate(pages: used + pages))
    }

    private func count(_ query: SQLiteStatement) throws(SQLiteError) -> Int {
        defer { query.reset() }
        return try query.step() ? Int(query.integer(at: 0)) : 0
    }

    // MARK: - a full disk

    /// If the end of the log may have no room, makes the next commit begin it anew. True if so: the caller tries once more.
    func restartLog(after error: SQLiteError) -> Bool {
        guard error.isDiskFull || error.isWriteFailure else { return false }
        try? connection.checkpoint(.restart)
        return true
    }

    /// Releases the reserve if `error` says that the disk is full. True if so: the caller tries once more, and then calls
    /// `restoreReserve`.
    func releaseReserve(after error: SQLiteError) -> Bool {
        error.isDiskFull && reserve.release()
    }

    /// Puts back what is left of the reserve.
    func restoreReserve() {
        try? connection.checkpoint(.restart)
        reserve.allocate()
    }

    // MARK: - after a commit

    /// Called after a commit, to keep the log short.
    ///
    /// The commit is done, so an error here does not make it fail; the next commit tries again.
    func trimLog(afterSettle: Bool) {
        countLogPages(afterSettle: afterSettle)
        guard logPages > Self.longestLog || settledPages > Self.mostSettledPages || !connection.isDatabaseWritten
        else { return }
        settledPages = 0
        try? connection.checkpoint(.passive)
    }

    /// Called after the commit that drained the store, to return its pages to the file system. `dropTables` drops some empty
    /// tables and returns whether there are more.
    func trim(dropTables: () throws(SQLiteError) -> Bool) {
        while (try? dropTables()) == true { trimLog(afterSettle: true) }
        if let free = try? count(countFreePages), free > Self.fewestFreePages, !vacuum() {
            // With the whole log for it.
            try? connection.checkpoint(.restart)
            _ = vacuum()
        }
        connection.keepsDatabaseSize = false
        try? connection.checkpoint(.truncate)
        connection.keepsDatabaseSize = true
        forget()
    }

    /// Rewrites the few pages that are used. Freeing the others one by one would write each of them to the log.
    private func vacuum() -> Bool { (try? connection.execute("VACUUM")) != nil }

    private func countLogPages(afterSettle: Bool) {
        let before = logPages
        logPages = connection.walPages
        // Fewer pages than before: the log was restarted.
        if afterSettle { settledPages += logPages < before ? logPages : logPages - before }
    }
}

@available(*, unavailable)
extension StoreSpace: Sendable {}
