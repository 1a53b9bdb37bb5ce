internal import CRecorderSQLite
internal import Glibc

/// Reading ahead: where SQLite reads one page after the other, one system call reads many.
///
/// A batch and the emptying of a segment read pages that mostly lie side by side, in the database and in the log: a table's
/// leaves, a row's overflow pages. Pages that SQLite reuses are often in descending order, so both directions count.
///
/// What was read ahead is used until the connection's next lock or unlock, or its next write to the file. Never longer, because
/// only a lock says that what SQLite will read does not change:
/// - In WAL mode each read transaction takes a lock of the shared memory, anew each time, that names how much of the log it
///   reads. While it is held, no connection restarts the log, so the frames up to there stay as they are; later ones are not
///   read. A checkpoint by another connection writes at most these frames to the database. Such a page may be read ahead before
///   that, or half-written, but SQLite does not take it from the buffer: in this transaction it reads the page from the log.
///   With the lock that means "reads nothing of the log", no checkpoint writes to the database at all.
/// - A checkpoint and a recovery of the log read under exclusive locks, a checkpoint only frames that no connection changes
///   before it ends.
/// - Without a log, a lock of the database file keeps others from writing to it.
///
/// Locks of the log are methods of the database file; `database` leads there.
extension BufferingVFS {
    /// How much is read at once. More makes no difference: at this size the system calls are a small part of the copying.
    private static let window: Int64 = 64 * 1_024

    /// The log has a header of this size before each page.
    private static let frameHeader: Int64 = 24

    func read(_ bytes: UnsafeMutableRawPointer?, count: Int32, at offset: Int64) -> Int32 {
        afterFlush {
            let range = offset..<offset + Int64(max(count, 0))
            let last = file.pointee.read_start..<file.pointee.read_end
            (file.pointee.read_start, file.pointee.read_end) = (range.lowerBound, range.upperBound)
            if let bytes, isBuffered(range) || readAhead(from: range, after: last) {
                memcpy(bytes, file.pointee.bytes + Int(offset - file.pointee.offset), Int(count))
                return SQLITE_OK
            }
            return system.xRead(below, bytes, count, offset)
        }
    }

    /// Fills the buffer if a range continues the last one read; false if it does not contain the range afterwards.
    private func readAhead(from range: Range<Int64>, after last: Range<Int64>) -> Bool {
        let isNext = 0...Self.frameHeader ~= range.lowerBound - last.upperBound
        let isPrevious = 0...Self.frameHeader ~= last.lowerBound - range.upperBound
        var size: Int64 = 0
        guard isNext || isPrevious, let buffer, system.xFileSize(below, &size) == SQLITE_OK else { return false }
        let start = isNext ? range.lowerBound : max(range.upperBound - Self.window, 0)
        // Beyond the end of the file the system's VFS would fill up with zeros, without saying where they begin.
        let end = min(isNext ? start + Self.window : range.upperBound, size)
        dropReadAhead()
        guard start <= range.lowerBound, range.upperBound <= end,
            system.xRead(below, buffer, Int32(end - start), start) == SQLITE_OK
        else { return false }
        file.pointee.offset = start
        file.pointee.count = Int32(end - start)
        file.pointee.read_at = file.pointee.database.pointee.lock_changes
        return true
    }

    private func isBuffered(_ range: Range<Int64>) -> Bool {
        let start = file.pointee.offset
        return file.pointee.count > 0 && file.pointee.read_at == file.pointee.database.pointee.lock_changes
            && start <= range.lowerBound && range.upperBound <= start + Int64(file.pointee.count)
    }

    /// Forgets what was read ahead; what is still to be written stays.
    func dropReadAhead() {
        if file.pointee.pending == 0 { file.pointee.count = 0 }
    }

    /// Another connection may have written before a lock was taken, and may write after it is released.
    func lockChanged() -> Self {
        file.pointee.lock_changes &+= 1
        return self
    }
}
