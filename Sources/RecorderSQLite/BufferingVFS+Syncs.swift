internal import CRecorderSQLite

/// Syncs of a file, and what is not synced.
///
/// A commit that a power cut may take back leaves out the sync of the log that would end it; the next sync makes it durable, too. The
/// order of what is in the log stays: a power cut takes back the last commits. A new header of the log is always synced before the
/// pages behind it: mixed with older pages, it could make these valid once more (https://www.sqlite.org/src/info/ff5be73dee).
///
/// After a sync that failed, the kernel takes what it could not write for written
/// (https://www.postgresql.org/docs/current/runtime-config-error-handling.html#GUC-DATA-SYNC-RETRY), so that a later sync would
/// succeed without it. SQLite writes again what belongs to the commit that failed, and no more. So the next sync of a log first
/// writes all of it again.
extension BufferingVFS {
    func sync(_ flags: Int32) -> Int32 {
        afterFlush {
            if file.pointee.skips_syncs != 0, file.pointee.has_new_header == 0 {
                file.pointee.skipped_syncs += 1
                return SQLITE_OK
            }
            let code = syncNow(flags)
            guard code == SQLITE_OK else {
                file.pointee.has_failed = isDatabase ? 0 : 1
                return code
            }
            (file.pointee.skipped_syncs, file.pointee.has_new_header, file.pointee.has_failed) = (0, 0, 0)
            return code
        }
    }

    /// A checkpoint that fails copies everything once more, so only a log is written again.
    private var isDatabase: Bool { file.pointee.database == file }

    private func syncNow(_ flags: Int32) -> Int32 {
        if file.pointee.has_failed != 0 {
            let code = writeAgain()
            guard code == SQLITE_OK else { return code }
        }
        return system.xSync(below, flags)
    }

    /// Writes what the kernel has of the file, which no other process writes to meanwhile.
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
