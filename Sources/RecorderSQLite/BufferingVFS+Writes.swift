internal import CRecorderSQLite
internal import Glibc

/// Writes of a commit to the log, and of a checkpoint to the database.
///
/// SQLite writes page by page, with two system calls per page of the write-ahead log and one per page of the database. That is
/// two fifths of the time of a commit of hundreds of records. Here they are buffered during a commit or a checkpoint. The buffer
/// is written before any other operation on that file, and the next operation is a sync: before any connection sees the
/// commit, and before SQLite counts pages of the log as copied. So the order of writes, and what the kernel has when a commit or a
/// checkpoint ends, do not change. (For commits this needs `synchronous=FULL`; for checkpoints see `lockShared`.)
extension BufferingVFS {
    /// Starts buffering, unless there is no memory for it, or the file system's writes may damage neighboring bytes: then SQLite
    /// pads the log, and writes a part of the padding after the sync.
    func begin() {
        guard system.xDeviceCharacteristics(below) & SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0 else { return }
        file.pointee.gathers = buffer == nil ? 0 : 1
    }

    /// Writes what is buffered, which is nothing after a sync, and stops buffering.
    func end() -> Int32 {
        file.pointee.gathers = 0
        return flush()
    }

    func write(_ bytes: UnsafeRawPointer?, count: Int32, at offset: Int64) -> Int32 {
        if offset == 0 { beginsAnew() }
        guard file.pointee.gathers != 0, count <= Self.capacity, let bytes else {
            return afterFlush {
                dropReadAhead()
                return system.xWrite(below, bytes, count, offset)
            }
        }
        dropReadAhead()
        let isNext = offset == file.pointee.offset + Int64(file.pointee.count)
        if !isNext || file.pointee.count + count > Self.capacity {
            let code = flush()
            guard code == SQLITE_OK else { return code }
        }
        if file.pointee.count == 0 { file.pointee.offset = offset }
        memcpy(file.pointee.bytes + Int(file.pointee.count), bytes, Int(count))
        file.pointee.count += count
        file.pointee.pending = 1
        return SQLITE_OK
    }

    /// A checkpoint truncates the database to its pages, and would give up what was allocated for later ones.
    func truncate(to size: Int64) -> Int32 {
        afterFlush {
            dropReadAhead()
            return file.pointee.keeps_size == 0 ? system.xTruncate(below, size) : SQLITE_OK
        }
    }

    /// Writes the buffer. It is empty after an error too: SQLite rolls back the commit, or counts nothing of the checkpoint.
    func flush() -> Int32 {
        guard file.pointee.pending != 0 else { return SQLITE_OK }
        let count = file.pointee.count
        file.pointee.count = 0
        file.pointee.pending = 0
        return system.xWrite(below, file.pointee.bytes, count, file.pointee.offset)
    }

    /// Writes the buffer, then runs `next`.
    func afterFlush(_ next: () -> Int32) -> Int32 {
        let code = flush()
        return code == SQLITE_OK ? next() : code
    }

    /// If a reader of old pages blocks a checkpoint, SQLite copies some pages and counts them as copied without a sync. Those
    /// writes are not buffered.
    func lockShared(at offset: Int32, count: Int32, flags: Int32) -> Int32 {
        let code = system.xShmLock(below, offset, count, flags)
        if code & 0xff == SQLITE_BUSY, flags & SQLITE_SHM_EXCLUSIVE != 0 { file.pointee.gathers = 0 }
        return code
    }

    /// Writes the buffer when a checkpoint has copied everything. SQLite may count it as copied without a sync, if another program
    /// wrote to the log. It ignores errors here, so a write that fails is repeated by the next call, which reports the error.
    func control(_ operation: Int32, argument: UnsafeMutableRawPointer?) -> Int32 {
        if operation == SQLITE_FCNTL_CKPT_DONE, file.pointee.pending != 0 {
            let count = file.pointee.count
            if flush() != SQLITE_OK {
                file.pointee.count = count
                file.pointee.pending = 1
            }
        }
        return system.xFileControl(below, operation, argument)
    }
}
