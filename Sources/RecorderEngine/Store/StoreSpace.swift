import RecorderSQLite

/// What a store takes on disk beside its records: the log, free pages, and a reserve for a full disk.
///
/// Belongs to the writer; every method is called under the lock between processes.
final class StoreSpace {
    private let reserve: StoreReserve
    /// Whether a full disk took the reserve, and has not given it back.
    private var isShort = false
    /// Pages of the log as of the last commit.
    private var logPages = 0
    /// Those of them that settles wrote since the last checkpoint.
    private var settledPages = 0

    /// The write-ahead log is emptied beyond this many pages (4 KiB each), so that little is exposed to damage, and a commit
    /// behind them finds room in what is promised.
    private static let longestLog = 750
    /// Settles write the same few pages again and again: there is little to copy, and to write over a log that is there
    /// costs less than to let it grow (a tenth of the processor time of draining 200,000 small records).
    private static let mostSettledPages = 100
    /// A drained store with fewer free pages than this is not worth rewriting. Few, as a full disk needs each of them.
    private static let fewestFreePages: Int64 = 16

    init(beside database: String) {
        reserve = StoreReserve(beside: database)
    }

    /// Runs `body`, which needs a little space; on a full disk once more with the reserve given back.
    func whereNeeded<T>(_ body: () throws(RecorderError) -> T) throws(RecorderError) -> T {
        try reserve.whereNeeded { () throws(RecorderError) in
            do throws(RecorderError) {
                return try body()
            } catch {
                isShort = isShort || error.isDiskFull
                throw error
            }
        }
    }

    /// Takes the reserve, or takes it again.
    func keepReserve() {
        isShort = !reserve.keep()
    }

    /// After a commit: keeps the log short.
    ///
    /// What was written is durable already, so trouble here is no reason to call it failed: the next commit tries again.
    func tidy(_ connection: SQLiteConnection, settles: Bool) {
        noteLog(of: connection, settles)
        if isShort {
            // On a full disk the log must not eat up the reserve.
            try? connection.checkpoint(.truncate)
            keepReserve()
        } else if logPages > Self.longestLog || settledPages > Self.mostSettledPages {
            settledPages = 0
            try? connection.checkpoint(.passive)
        }
    }

    /// After the commit that drained the store: gives its pages back to the file system. `dropSome` drops a few of its
    /// tables, and tells whether there are more.
    func giveBack(_ connection: SQLiteConnection, _ dropSome: () throws(RecorderError) -> Bool) {
        var isMore = true
        while isMore {
            isMore = (try? whereNeeded(dropSome)) ?? false
            if isShort || !isMore {
                shrink(connection)
            } else {
                tidy(connection, settles: true)
            }
        }
        if isShort { keepReserve() }
    }

    private func shrink(_ connection: SQLiteConnection) {
        if (try? connection.integer("PRAGMA freelist_count")) ?? 0 > Self.fewestFreePages {
            // Rewrites the few pages that are left. To free the others one by one would first write each into the log.
            try? connection.execute("VACUUM")
        }
        // Not before that: it would copy into the file what is given back now, and a full disk has no room for it.
        try? connection.checkpoint(.truncate)
    }

    private func noteLog(of connection: SQLiteConnection, _ settles: Bool) {
        let before = logPages
        logPages = connection.walPages
        // With fewer pages than before it was begun anew.
        if settles { settledPages += logPages < before ? logPages : logPages - before }
    }
}

@available(*, unavailable)
extension StoreSpace: Sendable {}
