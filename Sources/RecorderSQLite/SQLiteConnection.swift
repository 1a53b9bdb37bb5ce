internal import CRecorderSQLite

/// One open database. It knows nothing about records.
///
/// Not Sendable: its owner keeps it behind one lock or on one queue.
package final class SQLiteConnection {
    package enum Access: Sendable, Hashable {
        /// Reads and writes; the file is created if it is missing.
        case readWrite
        /// Reads only, and never checkpoints. SQLite may create a log and its shared memory.
        case readOnly
        /// Reads only, without a lock, and creates and changes no file. No process may write meanwhile. Without `hasLog`, the log
        /// is empty or missing; otherwise its index is in this connection's memory.
        case unlocked(hasLog: Bool)
        /// Reads as much as possible of a damaged file, such as one that was truncated or lost tables.
        case damaged

        /// The VFS.
        fileprivate var system: String? {
            switch self {
            case .readWrite, .readOnly: BufferingVFS.name
            case .damaged: nil
            // https://www.sqlite.org/vfs.html#standard_unix_vfses: its locks do nothing.
            case .unlocked: "unix-none"
            }
        }
    }

    let handle: OpaquePointer
    /// The statements that begin and end transactions, compiled at their first use: parsing one takes as long as storing a row.
    private var bounds: [Bound: OpaquePointer] = [:]

    private enum Bound: String {
        case beginReading = "BEGIN"
        case beginWriting = "BEGIN IMMEDIATE"
        case commit = "COMMIT"
    }

    /// How long a statement waits for other connections' locks, in ms: at most, and as set now.
    private let longestWait: Int32
    private var wait: Int32

    /// Pages the write-ahead log held after this connection's last commit.
    package private(set) var walPages = 0

    /// Opens `path`, in which no component may be a symbolic link. Statements wait up to `busyTimeout` ms for other connections'
    /// locks.
    package init(path: String, access: Access, busyTimeout: Int32 = 5_000) throws(SQLiteError) {
        longestWait = busyTimeout
        wait = busyTimeout
        // A connection stays behind one lock, so SQLite's own mutex would only cost:
        // https://www.sqlite.org/threadsafe.html
        let mode =
            switch access {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly: SQLITE_OPEN_READONLY
            case .unlocked: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .damaged: SQLITE_OPEN_READWRITE
            }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(
            access == .unlocked(hasLog: false) ? Self.immutableURI(of: path) : path,
            &opened,
            mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW,
            access.system
        )
        guard let opened else {
            throw SQLiteError(code: SQLITE_NOMEM, message: "out of memory", action: "opening \(path)")
        }
        handle = opened
        // Even a failed open leaves a handle, which deinit closes: https://www.sqlite.org/c3ref/open.html
        guard code == SQLITE_OK else {
            throw SQLiteError(
                code: sqlite3_extended_errcode(opened),
                message: String(cString: sqlite3_errmsg(opened)),
                action: "opening \(path)",
                systemError: sqlite3_system_errno(opened)
            )
        }
        // If a file cannot be opened for writing, SQLite opens it for reading, and every write of this connection would fail,
        // even if the process was only briefly out of descriptors.
        guard mode & SQLITE_OPEN_READONLY != 0 || sqlite3_db_readonly(opened, "main") == 0 else {
            throw SQLiteError(code: SQLITE_READONLY, message: "it can only be read", action: "opening \(path)")
        }
        sqlite3_extended_result_codes(opened, 1)
        try check(sqlite3_busy_timeout(opened, busyTimeout), while: "setting the busy timeout")
        try check(
            recorder_sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, access == .damaged ? 0 : 1),
            while: "turning on defensive mode"
        )
        try check(
            recorder_sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            while: "distrusting the schema"
        )
        switch access {
        case .readWrite: watchLog()
        case .readOnly: break
        case .unlocked:
            // A connection that locks the file for itself keeps the log's index in its memory. Without this setting its end would
            // move the log's content into the file.
            try check(
                recorder_sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
                while: "keeping the log"
            )
            try execute("PRAGMA locking_mode = EXCLUSIVE")
        // Also lets SQLite go on where it would refuse the file as a whole.
        case .damaged: try execute("PRAGMA writable_schema = ON")
        }
    }

    /// https://www.sqlite.org/c3ref/open.html#urifilenameexamples
    private static func immutableURI(of path: String) -> String {
        var uri = "file:"
        for character in path.unicodeScalars {
            switch character {
            case "%": uri += "%25"
            case "?": uri += "%3F"
            case "#": uri += "%23"
            default: uri.unicodeScalars.append(character)
            }
        }
        return "\(uri)?immutable=1"
    }

    deinit {
        for statement in bounds.values { sqlite3_finalize(statement) }
        // Waits for unfinished statements instead of failing: https://www.sqlite.org/c3ref/close.html
        sqlite3_close_v2(handle)
    }

    /// Lets later statements wait for other connections' locks until `deadline`, at most for the connection's timeout.
    package func waitForOthers(until deadline: ContinuousClock.Instant) throws(SQLiteError) {
        let left = (deadline - .now) / .milliseconds(1)
        let new = Int32(min(max(left, 0), Double(longestWait)))
        guard new != wait else { return }
        try check(sqlite3_busy_timeout(handle, new), while: "setting the busy timeout")
        wait = new
    }

    /// Runs statements that return nothing and bind nothing.
    package func execute(_ sql: String) throws(SQLiteError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), while: sql)
    }

    /// Compiles a statement that will be run many times.
    package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        SQLiteStatement(try compile(sql), of: self, sql: sql)
    }

    private func compile(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        var statement: OpaquePointer?
        try check(
            sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil),
            while: sql
        )
        guard let statement else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement", action: sql)
        }
        return statement
    }

    /// The first column of the first row of a query; nil if there is no row.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(at: 0) : nil
    }

    /// Runs `body` in one write transaction: all of it is durable when this returns, or nothing happened.
    package func transaction<T>(_ body: () throws(SQLiteError) -> T) throws(SQLiteError) -> T {
        try transaction(.beginWriting, body: body)
    }

    /// The same for one expression. Without `isSynced`, a power cut, but nothing else, may take it back until the next sync of the
    /// log.
    package func transaction<T>(
        isSynced: Bool = true,
        running body: @autoclosure () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        try transaction(.beginWriting, isSynced: isSynced, body: body)
    }

    /// Runs an expression in one read transaction: it sees the database as of one instant.
    package func readTransaction<T>(running body: @autoclosure () throws(SQLiteError) -> T) throws(SQLiteError) -> T {
        try transaction(.beginReading, body: body)
    }

    private func transaction<T>(
        _ begin: Bound,
        isSynced: Bool = true,
        body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        try run(begin)
        do throws(SQLiteError) {
            let value = try body()
            let log = isSynced ? nil : BufferingVFS(.log, of: handle)
            log?.file.pointee.skips_syncs = 1
            defer { log?.file.pointee.skips_syncs = 0 }
            try run(.commit)
            return value
        } catch {
            // Some errors have already rolled back: https://www.sqlite.org/lang_transaction.html
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    private func run(_ bound: Bound) throws(SQLiteError) {
        if bounds[bound] == nil { bounds[bound] = try compile(bound.rawValue) }
        let statement = bounds[bound]
        let code = bound == .commit ? coalescingWrites(to: .log) { sqlite3_step(statement) } : sqlite3_step(statement)
        sqlite3_reset(statement)
        try check(code, while: bound.rawValue)
    }

    /// Runs `write`, with its writes to one file coalesced.
    private func coalescingWrites(to role: BufferingVFS.Role, write: () -> Int32) -> Int32 {
        let file = BufferingVFS(role, of: handle)
        file?.begin()
        let code = write()
        let writeCode = file?.end() ?? SQLITE_OK
        return writeCode == SQLITE_OK ? code : writeCode
    }

    /// Rows that the last INSERT, UPDATE or DELETE touched.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// A number that changes when another connection changed the file and a transaction of this one sees the change:
    /// https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntldataversion
    package func dataVersion() throws(SQLiteError) -> UInt32 {
        var version: UInt32 = 0
        try check(
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version),
            while: "checking for changes"
        )
        return version
    }

    package enum Checkpoint: Int32, Sendable {
        /// Moves what it can without waiting.
        case passive = 0
        /// Waits for readers and moves everything. The next commit begins the log anew, in the space that the log has.
        case restart = 2
        /// Waits for readers, moves everything and truncates the log.
        case truncate = 3
    }

    /// Moves pages from the write-ahead log into the database, https://www.sqlite.org/c3ref/wal_checkpoint_v2.html
    package func checkpoint(_ mode: Checkpoint) throws(SQLiteError) {
        let code = moveLog(mode)
        // Busy means that a reader uses a part of the log: the rest was moved, and the next checkpoint moves that part.
        guard code & 0xff != SQLITE_BUSY else { return }
        try check(code, while: "checkpointing")
        if mode == .truncate { walPages = 0 }
    }

    /// Moves all pages from the write-ahead log into the database, and waits for readers; false if that is not possible.
    package func moveWholeLog() -> Bool { moveLog(.restart) == SQLITE_OK }

    private func moveLog(_ mode: Checkpoint) -> Int32 {
        let isIncomplete = !isDatabaseWritten
        let code = coalescingWrites(to: .database) { sqlite3_wal_checkpoint_v2(handle, nil, mode.rawValue, nil, nil) }
        // The first one only made sure that the next one copies all.
        return isIncomplete && code != SQLITE_OK && isDatabaseWritten ? moveLog(mode) : code
    }

    /// Turns SQLite's result codes into errors.
    func check(_ code: Int32, while action: @autoclosure () -> String) throws(SQLiteError) {
        guard code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE else { return }
        let isInputOutput = code & 0xff == SQLITE_IOERR || code & 0xff == SQLITE_CANTOPEN
        throw SQLiteError(
            code: code,
            message: String(cString: sqlite3_errmsg(handle)),
            action: action(),
            systemError: isInputOutput ? sqlite3_system_errno(handle) : 0
        )
    }

    /// Counts the log's pages after each commit. This hook also replaces automatic checkpoints:
    /// https://www.sqlite.org/c3ref/wal_hook.html
    private func watchLog() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().walPages = Int(pages)
                return SQLITE_OK
            },
            context
        )
    }
}

@available(*, unavailable)
extension SQLiteConnection: Sendable {}

/// The version of the SQLite library that is loaded, such as "3.40.1".
package var sqliteLibraryVersion: String { String(cString: sqlite3_libversion()) }
