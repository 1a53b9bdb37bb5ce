import Glibc
import RecorderAWS
import RecorderConcurrency

/// The lock of a store's writers, with a note in its file of the state in which the last writer left the database.
///
/// What changes the files without this lock, such as `cp`, `tar` or another program, leaves another state: size, inode or time of
/// the last change, which no program can set. The note is compared and not the time, so that no clock matters. Most commits change
/// only the log, which is noted by its inode: so they need no new note. A writer that is killed between a checkpoint and its note
/// seems to be another program, too.
final class StoreWriteLock {
    private let lock: StoreLock
    private let database: String
    private let log: String
    private let index: String
    /// Whether another program has changed the files, and no commit has taken that into account yet.
    private(set) var isForeign = false
    /// The state in which this writer left the files.
    private var left: FileState?
    /// Whether the log was written to since this writer's last commit, by another process or another program.
    private(set) var isLogChanged = true

    init(of database: String) {
        lock = StoreLock(path: "\(database).lock")
        self.database = database
        log = "\(database)-wal"
        index = "\(database)-shm"
    }

    /// Blocks until the lock is held, at most until `deadline`; after that it is tried once.
    func lock(before deadline: ContinuousClock.Instant) throws(RecorderError) {
        try lock.lock(before: deadline)
        check()
    }

    private func check() {
        let found = FileState(database, log: log)
        isLogChanged = found.logChange != left?.logChange
        if found != left, found.text != lock.line() { isForeign = true }
    }

    /// Releases the lock, and notes the state, unless a change by another program must still be noticed.
    func unlock() {
        defer { lock.unlock() }
        let state = FileState(database, log: log)
        guard !isForeign else { return }
        defer { left = state }
        guard state != left else { return }
        lock.write(state.text)
    }

    /// Called after a commit that takes the change by another program into account.
    func accept() {
        isForeign = false
    }

    /// Says what is lost if the database is so many records behind what this writer committed: a copy was put over it, with its log
    /// and the index of that.
    func warnOfLoss(of records: Int64) {
        guard records > 0 else { return }
        RecorderLog.warning(
            "\(database) was overwritten with an earlier state of itself while it was open: of the \(records) records that were "
                + "saved since, those are lost that were not sent. Stop the programs that use a store before you restore its "
                + "files."
        )
    }

    // MARK: - the log

    /// The lines of the lock file, the first of which is the state of the files.
    private enum Line { static let inUse = 1, moved = 2 }

    /// The files at the paths.
    private var files: LogFiles { LogFiles(log: FileIdentity(log), index: FileIdentity(index)) }

    /// The files that the last opening used, as text; "" if no process has the store open.
    private var inUse: String { lock.line(at: Line.inUse) }

    /// Called before the database is opened. SQLite would read another log by the index of the one in use, and find damage where
    /// there is none. An empty log may be a reader's, and has no index.
    func forgetIndexOfOtherLog() {
        let (found, inUse) = (files, inUse)
        var status = stat()
        let isEmpty = unsafe lstat(log, &status) == 0 && status.st_size == 0
        guard !isEmpty, !inUse.isEmpty, found.text != inUse else { return }
        // SQLite removes both when it has moved the log into the database; and a copy of a store has other files anyway.
        guard unsafe unlink(index) == 0, let file = FileIdentity(database),
            lock.line().hasPrefix("\(file):"), found.log.map({ inUse.hasPrefix("\($0) ") }) != true
        else { return }
        RecorderLog.warning(
            "The write-ahead log of \(database) was removed or replaced by another program: records that were only in it are lost."
        )
    }

    /// Called before a database is created. The number of one that was removed may be used again.
    func forgetRemoved() {
        if FileIdentity(database) == nil { lock.write("") }
    }

    /// Called when the database has been opened or closed. Returns its log.
    @discardableResult
    func noteLog() -> LogFiles {
        let found = files
        if found.text != inUse { lock.write(found.text, at: Line.inUse) }
        // The number of a file that was removed may be used again.
        if let log = found.log, lock.line(at: Line.moved) == log.description { lock.write("", at: Line.moved) }
        return found
    }

    /// Whether the files at the paths are not these ones.
    func hasMoved(_ open: LogFiles) -> Bool { files != open }

    /// Called under the lock.
    private func change(of open: LogFiles, isWhole: Bool) -> LogChange {
        LogChange(
            of: open,
            found: files,
            inUse: inUse,
            moved: lock.line(at: Line.moved),
            isWhole: isWhole,
            isDatabaseOurs: lock.line().hasPrefix(FileState(database, log: log).databaseText)
        )
    }

    /// Called before a database is closed whose log may have been changed by another program. `moveContent` moves the log's
    /// content into the database, and returns whether that was possible.
    func leave(_ open: LogFiles, isWhole: () -> Bool, moveContent: () -> Bool) -> LogChange {
        guard (try? lock(before: SystemTime.now + .seconds(1))) != nil else { return files == open ? .none : .lost }
        defer { unlock() }
        let change = change(of: open, isWhole: isWhole())
        switch change {
        case .none, .reindexed, .moved: break
        case .lost: noteForeign()
        case .overwritten:
            _ = unsafe unlink(index)
            noteForeign()
        case .replaced:
            guard moveContent() else {
                noteForeign()
                return .lost
            }
            // What was put in its place is older than the database now.
            for path in [log, index] { _ = unsafe unlink(path) }
            lock.write(open.log?.description ?? "", at: Line.moved)
            noteLog()
        }
        return change
    }

    /// Called before a database is closed that was moved without its log. Whether the log's content is in the database now.
    func leaveMoved(isWhole: () -> Bool, moveContent: () -> Bool) -> Bool {
        guard (try? lock(before: SystemTime.now + .seconds(1))) != nil else { return false }
        defer { unlock() }
        return isWhole() && moveContent()
    }

    /// Records may be missing in the log that is used from now on, so that their keys must not be given again.
    private func noteForeign() {
        isForeign = true
        lock.write("")
    }

    /// Runs `close`, which may move the log's content into the database, as SQLite does when the last connection is closed. Only a
    /// process that has the database open, and closes it in its turn, can hold the lock; `close` is told whether this one does.
    /// A forked child holds none, and waits for none of its parent's threads.
    func closing(_ close: (_ isHeld: Bool) -> Void) {
        guard ForkedProcess.refusal == nil else { return close(false) }
        _ = Self.exitWaits
        Self.closings.withLock { _ in
            let isHeld = (try? lock.tryLock()) ?? false
            if isHeld { check() }
            close(isHeld)
            if isHeld {
                noteLog()
                unlock()
            }
        }
    }

    private static let closings = Locked(())
    /// The process must not end between the change of the file and its note.
    private static let exitWaits =
        atexit { if ForkedProcess.refusal == nil { closings.withLock { _ in } } } == 0
}

/// The state of a database and its log, at each commit: so it is made without allocations.
struct FileState: Equatable {
    private var device: dev_t = 0
    private var inode: ino_t = 0
    private var size: off_t = 0
    private var seconds = 0
    private var nanoseconds = 0
    /// 0 for an empty log, which a reader may create.
    private var log: ino_t = 0
    /// Differs after each change of the log, which is no other state.
    private(set) var logChange = LogWrite()

    struct LogWrite: Equatable {
        fileprivate(set) var size: off_t = 0
        fileprivate(set) var seconds = 0
        fileprivate(set) var nanoseconds = 0
    }

    static func == (one: Self, other: Self) -> Bool {
        one.device == other.device && one.inode == other.inode && one.size == other.size && one.seconds == other.seconds
            && one.nanoseconds == other.nanoseconds && one.log == other.log
    }

    init(_ database: String, log: String) {
        var status = stat()
        guard unsafe database.withCString({ unsafe lstat($0, &status) }) == 0 else { return }
        (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
        (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        guard unsafe log.withCString({ unsafe lstat($0, &status) }) == 0, status.st_size > 0 else { return }
        self.log = status.st_ino
        logChange = LogWrite(size: status.st_size, seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec)
    }

    /// Whether a database without a byte had some when a writer left it.
    static func isEmptied(_ database: String) -> Bool {
        let found = FileState(database, log: "")
        guard found.inode != 0, found.size == 0,
            let note = (try? SmallFile.bytes(of: "\(database).lock", limit: 4_096)) ?? nil
        else { return false }
        let file = "\(found.device):\(found.inode):"
        return note.starts(with: file.utf8) && !note.starts(with: "\(file)0:".utf8)
    }

    /// What `text` begins with, whatever the log is.
    var databaseText: String { "\(device):\(inode):\(size):\(seconds).\(nanoseconds) " }
    var text: String { "\(databaseText)\(log)" }
}
