import Glibc
import RecorderAWS
import RecorderSQLite

/// A store's file that is only read: no table is created, no log is moved into the file, and other processes go on saving
/// and submitting.
///
/// A file of this user is read as its programs read it; SQLite may add empty log files beside it. Beside one of another user, or
/// one that cannot be written, no file is created: a log or an index that root leaves there would stop the owner's programs. If a
/// program has it open, its log and index are there, and are used. Otherwise the file is read without SQLite's locks, and the log's
/// index is made in memory; what was read counts only if nothing has changed the file meanwhile. Not Sendable.
final class ReadOnlyStore {
    /// Without links.
    let path: String
    private(set) var connection: SQLiteConnection
    /// Whether the file has no tables yet.
    let isEmpty: Bool
    /// Whether it is read without SQLite's locks.
    private var isUnlocked: Bool

    /// How often a file is read that is changed meanwhile; after that no other process may change it.
    private static let maximumReadings = 3

    /// Opens a file that exists. Throws for one of another version.
    init(at location: StoreLocation) throws(RecorderError) {
        let path = try StoreDirectory.resolve(location).path
        self.path = path
        try StoreFiles.checkReadable(path)
        if FileState.isEmptied(path) { throw StorageErrorMapping.emptied(path) }
        if StoreFiles.areWritable(path) || Self.isInUse(path), let (connection, isEmpty) = try Self.openShared(path) {
            (self.connection, self.isEmpty, isUnlocked) = (connection, isEmpty, false)
            return
        }
        isUnlocked = true
        let pause = try WriterPause(of: path, timeout: StoreConnections.lockTimeout)
        defer { pause.end() }
        connection = try Self.openUnlocked(path)
        isEmpty = try StoreSchema.isEmpty(connection, path: path)
    }

    /// Whether a program has the file open, or had when it was killed.
    private static func isInUse(_ path: String) -> Bool {
        ["-wal", "-shm"].allSatisfy { FileStatus(path: "\(path)\($0)") != nil }
    }

    /// nil if SQLite would have to write, and cannot.
    private static func openShared(_ path: String) throws(RecorderError) -> (SQLiteConnection, isEmpty: Bool)? {
        do throws(RecorderError) {
            let connection = try StorageErrorMapping.translating(
                path: path,
                try SQLiteConnection(path: path, access: .readOnly)
            )
            return (connection, try StoreSchema.isEmpty(connection, path: path))
        } catch {
            guard case .storage(_, let cause?) = error, cause.isReadOnly || cause.isCannotOpen,
                !StoreFiles.areWritable(path)
            else { throw error }
            return nil
        }
    }

    private static func openUnlocked(_ path: String) throws(RecorderError) -> SQLiteConnection {
        var log = stat()
        let hasLog = unsafe stat("\(path)-wal", &log) == 0 && log.st_size > 0
        return try StorageErrorMapping.translating(
            path: path,
            try SQLiteConnection(path: path, access: .unlocked(hasLog: hasLog))
        )
    }

    /// Runs an expression in one read transaction, so that everything it reads is of one instant.
    func perform<T>(_ body: @autoclosure () throws(SQLiteError) -> T) throws(RecorderError) -> T {
        guard isUnlocked else { return try read(try body()) }
        // Not under the lock: a program that starts meanwhile must not wait until a large file is read.
        for _ in 0..<Self.maximumReadings {
            let state = try openAgain()
            let result: Result<T, RecorderError>
            do throws(RecorderError) {
                result = .success(try read(try body()))
            } catch {
                result = .failure(error)
            }
            if state == FileState(path, log: "\(path)-wal") { return try result.get() }
            if Self.isInUse(path), let (shared, _) = try Self.openShared(path) {
                (connection, isUnlocked) = (shared, false)
                return try read(try body())
            }
        }
        let pause = try WriterPause(of: path, timeout: StoreConnections.lockTimeout)
        defer { pause.end() }
        connection = try Self.openUnlocked(path)
        return try read(try body())
    }

    /// A connection without locks believes what it has read. Returns the file's state between two commits.
    private func openAgain() throws(RecorderError) -> FileState {
        let pause = try WriterPause(of: path, timeout: StoreConnections.lockTimeout)
        defer { pause.end() }
        connection = try Self.openUnlocked(path)
        return FileState(path, log: "\(path)-wal")
    }

    private func read<T>(_ body: @autoclosure () throws(SQLiteError) -> T) throws(RecorderError) -> T {
        try StorageErrorMapping.translating(path: path, try connection.readTransaction(running: try body()))
    }

    /// What reads the tables, in a transaction of the caller.
    func reader() throws(SQLiteError) -> StoreReader {
        try StoreReader(connection, path: path, fileID: nil)
    }
}

extension RejectedRecords {
    /// Reads the copies in a file that exists; nil selects all streams.
    package init(at location: StoreLocation, of selection: StreamSelection? = nil) throws(RecorderError) {
        let store = try ReadOnlyStore(at: location)
        self = try store.perform(try RejectedRecords(store.connection, of: selection))
    }
}

@available(*, unavailable)
extension ReadOnlyStore: Sendable {}
