internal import CRecorderSQLite
internal import Glibc

/// Syncs of a file, and what is not synced.
///
/// A commit that a power cut may take back leaves out the sync of the log that would end it; the next sync makes it durable, too. A
/// power cut takes back the last commits, in the order of the log. A new header of the log is always synced before the pages behind
/// it: mixed with older pages, it could make these valid once more (https://www.sqlite.org/src/info/ff5be73dee).
///
/// After a sync that failed, the kernel takes what it could not write for written
/// (https://www.postgresql.org/docs/current/runtime-config-error-handling.html#GUC-DATA-SYNC-RETRY), and a later sync, of any process,
/// would succeed without it. SQLite writes again what belongs to the commit that failed, and no more. So the whole log is written
/// again at once, and if that fails, before this connection's next sync.
extension BufferingVFS {
    /// Called while no other connection writes to a log.
    func sync(_ flags: Int32) -> Int32 {
        afterFlush {
            if file.pointee.skips_syncs != 0, file.pointee.has_new_header == 0, file.pointee.has_hole == 0 {
                file.pointee.skipped_syncs += 1
                return SQLITE_OK
            }
            if file.pointee.has_hole != 0 {
                let code = writeAgain()
                guard code == SQLITE_OK else { return code == SQLITE_FULL ? code : Self.syncFailed }
                file.pointee.has_hole = 0
            }
            let code = system.xSync(below, flags)
            if code == SQLITE_OK {
                (file.pointee.skipped_syncs, file.pointee.has_new_header) = (0, 0)
            } else if isLog {
                // SQLite reads the reason later.
                let reason = errno
                file.pointee.has_hole = writeAgain() == SQLITE_OK ? 0 : 1
                errno = reason
            }
            return code
        }
    }

    /// SQLITE_IOERR_FSYNC, which is not visible to Swift.
    private static let syncFailed = SQLITE_IOERR | 4 << 8

    /// Of the database, a checkpoint that failed copies its pages again.
    private var isLog: Bool { file.pointee.database != file }

    private func writeAgain() -> Int32 {
        guard let buffer else { return SQLITE_NOMEM }
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
}
