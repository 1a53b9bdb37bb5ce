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
    /// Whether another program has changed the files, and no commit has taken that into account yet.
    private(set) var isForeign = false
    /// The state in which this writer left the files.
    private var left: FileState?

    init(of database: String) {
        lock = StoreLock(path: "\(database).lock")
        self.database = database
        log = "\(database)-wal"
    }

    /// Blocks until the lock is held, at most until `deadline`; after that it is tried once.
    func lock(before deadline: ContinuousClock.Instant) throws(RecorderError) {
        try lock.lock(before: deadline)
        check()
    }

    private func check() {
        let found = FileState(database, log: log)
        if found != left, found.text != lock.line() { isForeign = true }
    }

    /// Releases the lock, and notes the state, unless a change by another program must still be noticed.
    func unlock() {
        defer { lock.unlock() }
        let state = FileState(database, log: log)
        guard !isForeign, state != left else { return }
        left = state
        lock.write(state.text)
    }

    /// Called after a commit that takes the change by another program into account.
    func accept() {
        isForeign = false
    }

    // MARK: - the log

    /// The log of the processes that have the store open: the one that was opened last. "" if none has it open.
    private var logInUse: String { lock.line(at: 1) }

    /// Called before the database is opened. SQLite would read another log by the index of the one in use, and find damage where there
    /// is none. An empty log may be a reader's, and has no index.
    func forgetIndexOfOtherLog() {
        var status = stat()
        let isEmpty = unsafe lstat(log, &status) == 0 && status.st_size == 0
        let inUse = logInUse
        guard !isEmpty, !inUse.isEmpty, FileIdentity(log)?.description != inUse else { return }
        // SQLite removes both when it has moved the log into the database; and a copy of a store has other files anyway.
        guard unsafe unlink("\(database)-shm") == 0, let file = FileIdentity(database),
            lock.line().hasPrefix("\(file):")
        else { return }
        RecorderLog.warning(
            "the write-ahead log of \(database) was removed or replaced by another program: records that were only in it are lost."
        )
    }

    /// Called when the database has been opened or closed. Returns its log.
    @discardableResult
    func noteLog() -> FileIdentity? {
        let found = FileIdentity(log)
        let text = found?.description ?? ""
        if text != logInUse { lock.write(text, at: 1) }
        return found
    }

    /// Whether the log at the path is not this one.
    func hasMoved(_ opened: FileIdentity?) -> Bool { opened != nil && FileIdentity(log) != opened }

    /// Called once `opened` has been removed or replaced while this process has it open. Runs `checkpoint`, which moves its content into
    /// the database, unless another process has opened the store since: then both have changed the same pages. False if that could not
    /// be done.
    func leave(_ opened: FileIdentity?, checkpoint: () -> Bool) -> Bool {
        guard (try? lock.lock(before: .now + .seconds(1))) != nil else { return false }
        defer { unlock() }
        guard let opened, opened.description == logInUse, checkpoint() else { return false }
        // What was put in its place is older than the database now.
        for end in ["-wal", "-shm"] { _ = unsafe unlink("\(database)\(end)") }
        noteLog()
        return true
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

    init(_ database: String, log: String) {
        var status = stat()
        guard unsafe database.withCString({ unsafe lstat($0, &status) }) == 0 else { return }
        (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
        (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        guard unsafe log.withCString({ unsafe lstat($0, &status) }) == 0, status.st_size > 0 else { return }
        self.log = status.st_ino
    }

    var text: String { "\(device):\(inode):\(size):\(seconds).\(nanoseconds) \(log)" }
}
