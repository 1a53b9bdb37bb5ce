internal import CRecorderSQLite
internal import Glibc

/// What of a file a power cut may take, besides what is being written.
enum Unsynced: Equatable {
    case nothing
    /// The last commits in the log.
    case commits(Int32)
    /// A new header of the log, or all of it, written again: the next sync is not left out.
    case start
    /// What a sync that failed left out, and was not written again.
    case hole

    /// What a structure of C can hold.
    fileprivate init(code: Int32) {
        switch code {
        case -2: self = .hole
        case -1: self = .start
        case 0: self = .nothing
        default: self = .commits(code)
        }
    }

    fileprivate var code: Int32 {
        switch self {
        case .hole: -2
        case .start: -1
        case .nothing: 0
        case .commits(let count): count
        }
    }
}

/// Syncs of a file, and what is not synced.
///
/// A commit that a power cut may take back leaves out the sync of the log that would end it; the next sync makes it durable, too. A
/// power cut takes back the last commits, in the order of the log. A new header of the log is always synced before the pages behind
/// it: mixed with older pages, it could make these valid once more (https://www.sqlite.org/src/info/ff5be73dee).
///
/// After a sync that failed, the kernel takes what it could not write for written
/// (https://www.postgresql.org/docs/current/runtime-config-error-handling.html#GUC-DATA-SYNC-RETRY), and a later sync of this
/// file, or of one that is opened later, would succeed without it. SQLite writes again what belongs to the commit or the
/// checkpoint that failed, and no more. So the whole log is written again at once, and if that fails, before this connection's
/// next sync. To the database, the next checkpoint copies all pages of the log, also those that earlier ones have copied without
/// a sync, because a reader ended them early.
extension BufferingVFS {
    private(set) var unsynced: Unsynced {
        get { Unsynced(code: file.pointee.unsynced) }
        nonmutating set { file.pointee.unsynced = newValue.code }
    }

    private var isLog: Bool { file.pointee.database != file }

    /// Called while no other connection writes to the file.
    func sync(_ flags: Int32) -> Int32 {
        afterFlush { isLog ? syncLog(flags) : syncDatabase(flags) }
    }

    /// Called when the file's first bytes are written.
    func beginsAnew() {
        if isLog, unsynced != .hole { unsynced = .start }
    }

    private func syncLog(_ flags: Int32) -> Int32 {
        switch (unsynced, mayLeaveOut: file.pointee.skips_syncs != 0) {
        case (.nothing, true):
            unsynced = .commits(1)
            return SQLITE_OK
        case (.commits(let count), true):
            unsynced = .commits(count + 1)
            return SQLITE_OK
        case (.hole, _):
            let code = writeAgain()
            guard code == SQLITE_OK else { return code == SQLITE_FULL ? code : Self.syncFailed }
        case (.nothing, false), (.commits, false), (.start, _): break
        }
        let code = system.xSync(below, flags)
        if code == SQLITE_OK {
            unsynced = .nothing
        } else {
            // SQLite reads the reason later.
            let reason = errno
            unsynced = writeAgain() == SQLITE_OK ? .start : .hole
            errno = reason
        }
        return code
    }

    private func writeAgain() -> Int32 {
        guard let buffer else {
            errno = ENOMEM
            return SQLITE_NOMEM
        }
        dropReadAhead()
        var size: Int64 = 0
        var code = system.xFileSize(below, &size)
        for start in stride(from: 0, to: size, by: Int(Self.capacity)) where code == SQLITE_OK {
            let count = Int32(min(size - start, Int64(Self.capacity)))
            code = system.xRead(below, buffer, count, start)
            if code == SQLITE_OK { code = system.xWrite(below, buffer, count, start) }
        }
        return code
    }

    /// While the log's index is mapped, SQLite calls this only in a checkpoint, while no connection reads the database without
    /// the log.
    private func syncDatabase(_ flags: Int32) -> Int32 {
        let hasHole = unsynced == .hole
        let code = hasHole ? Self.syncFailed : system.xSync(below, flags)
        if hasHole { errno = EIO }
        unsynced = .nothing
        // How much of the log counts as copied: https://www.sqlite.org/walformat.html#the_wal_index_file_format
        if code != SQLITE_OK { file.pointee.index?.storeBytes(of: 0, toByteOffset: 96, as: UInt32.self) }
        return code
    }

    /// Makes the size of a database durable, as far as possible.
    func syncSize() {
        if system.xSync(below, SQLITE_SYNC_FULL) != SQLITE_OK { unsynced = .hole }
    }

    /// SQLITE_IOERR_FSYNC, which is not visible to Swift.
    private static let syncFailed = SQLITE_IOERR | 4 << 8
}
