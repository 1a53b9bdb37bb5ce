import RecorderSQLite

/// The disk space of a store besides its records: the log, free pages, and a reserve for a full disk.
///
/// Belongs to the writer; every method is called under the lock between processes.
final class StoreSpace {
    private let reserve: StoreReserve
    /// Whether a full disk used the reserve, and it could not be allocated again.
    private var isShort = false
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
    private static let fewestFreePages: Int64 = 16

    init(beside database: String) {
        reserve = StoreReserve(beside: database)
    }

    /// Releases the reserve if `error` says that the disk is full. True if so: the caller tries once more.
    func releaseReserve(after error: SQLiteError) -> Bool {
        guard error.isDiskFull else { return false }
        isShort = true
        return reserve.release()
    }

    /// Allocates the reserve, if there is room.
    func allocateReserve() {
        isShort = !reserve.allocate()
    }

    /// Called after a commit, to keep the log short.
    ///
    /// The commit is durable, so an error here does not make it fail; the next commit tries again.
    func trimLog(_ connection: SQLiteConnection, afterSettle: Bool) {
        countLogPages(connection, afterSettle: afterSettle)
        if isShort {
            // On a full disk the log must not use up the reserve.
            try? connection.checkpoint(.truncate)
            allocateReserve()
        } else if logPages > Self.longestLog || settledPages > Self.mostSettledPages {
            settledPages = 0
            try? connection.checkpoint(.passive)
        }
    }

    /// Called after the commit that drained the store, to return its pages to the file system. `dropTables` drops some empty
    /// tables and returns whether there are more.
    func trim(_ connection: SQLiteConnection, dropTables: () throws(SQLiteError) -> Bool) {
        var hasMore = true
        while hasMore {
            hasMore = (try? dropTables()) ?? false
            if isShort || !hasMore {
                shrink(connection)
            } else {
                trimLog(connection, afterSettle: true)
            }
        }
        if isShort { allocateReserve() }
    }

    private func shrink(_ connection: SQLiteConnection) {
        if (try? connection.integer("PRAGMA freelist_count")) ?? 0 > Self.fewestFreePages {
            // Rewrites the few pages that are used. Freeing the others one by one would write each of them to the log.
            try? connection.execute("VACUUM")
        }
        // Not before that: it would copy free pages into the file, for which a full disk has no room.
        try? connection.checkpoint(.truncate)
    }

    private func countLogPages(_ connection: SQLiteConnection, afterSettle: Bool) {
        let before = logPages
        logPages = connection.walPages
        // Fewer pages than before: the log was restarted.
        if afterSettle { settledPages += logPages < before ? logPages : logPages - before }
    }
}

@available(*, unavailable)
extension StoreSpace: Sendable {}
