internal import CRecorderSQLite
internal import Glibc

/// A file of a connection, to which commits and checkpoints write in few large writes.
///
/// SQLite writes page by page, with two system calls per page of the write-ahead log and one per page of the database. That is
/// two fifths of the time of a commit of hundreds of records. This VFS (https://www.sqlite.org/vfs.html) passes everything to
/// the system's VFS, but buffers what is written to the log during a commit, and to the database during a checkpoint. It
/// writes the buffer before any other operation on that file, and the next operation is a sync: before any connection sees the
/// commit, and before SQLite counts pages of the log as copied. So the order of writes, and what is on disk when a commit or a
/// checkpoint ends, do not change. (For commits this needs `synchronous=FULL`; for checkpoints see `lockShared`.)
struct WriteCoalescingVFS {
    enum Role {
        case database, log
    }

    private let file: UnsafeMutablePointer<recorder_file>

    /// The size of the buffer, in bytes. A write of the system's VFS takes at most 131,071 bytes; beyond that it reports that
    /// the disk is full (`seekAndWriteFd` in SQLite's os_unix.c).
    private static let capacity: Int32 = 120 * 1_024

    /// A file of an open connection; nil if it is not open yet, or not opened by this VFS.
    init?(_ role: Role, of connection: OpaquePointer) {
        let question = role == .log ? SQLITE_FCNTL_JOURNAL_POINTER : SQLITE_FCNTL_FILE_POINTER
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(connection, "main", question, &file)
        guard code == SQLITE_OK, let file else { return nil }
        self.init(file)
        guard file.pointee.pMethods == methods else { return nil }
    }

    private init(_ file: UnsafeMutablePointer<sqlite3_file>?) {
        guard let file else { preconditionFailure("SQLite named no file.") }
        self.file = UnsafeMutableRawPointer(file).assumingMemoryBound(to: recorder_file.self)
    }

    /// Starts buffering, unless there is no memory for it, or the file system's writes may damage neighboring bytes: then SQLite
    /// pads the log, and writes a part of the padding after the sync.
    func begin() {
        guard system.xDeviceCharacteristics(below) & SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0 else { return }
        if file.pointee.bytes == nil { file.pointee.bytes = malloc(Int(Self.capacity)) }
        file.pointee.gathers = file.pointee.bytes == nil ? 0 : 1
    }

    /// Writes what is buffered, which is nothing after a sync, and stops buffering.
    func end() -> Int32 {
        file.pointee.gathers = 0
        return flush()
    }

    // MARK: - operations of SQLite

    /// The file of the system's VFS.
    private var below: UnsafeMutablePointer<sqlite3_file> {
        UnsafeMutableRawPointer(file + 1).assumingMemoryBound(to: sqlite3_file.self)
    }

    private var system: sqlite3_io_methods { below.pointee.pMethods.pointee }

    /// The address of this VFS's methods, by which its files are recognized.
    private var methods: UnsafePointer<sqlite3_io_methods> {
        let start = UnsafeRawPointer(file) + MemoryLayout<sqlite3_file>.stride
        return start.assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    private func write(_ bytes: UnsafeRawPointer?, count: Int32, at offset: Int64) -> Int32 {
        guard file.pointee.gathers != 0, count <= Self.capacity, let bytes else {
            return afterFlush { system.xWrite(below, bytes, count, offset) }
        }
        let isNext = offset == file.pointee.offset + Int64(file.pointee.count)
        if !isNext || file.pointee.count + count > Self.capacity {
            let code = flush()
            guard code == SQLITE_OK else { return code }
        }
        if file.pointee.count == 0 { file.pointee.offset = offset }
        memcpy(file.pointee.bytes + Int(file.pointee.count), bytes, Int(count))
        file.pointee.count += count
        return SQLITE_OK
    }

    /// Writes the buffer. It is empty after an error too: SQLite rolls back the commit, or counts nothing of the checkpoint.
    private func flush() -> Int32 {
        let count = file.pointee.count
        guard count > 0 else { return SQLITE_OK }
        file.pointee.count = 0
        return system.xWrite(below, file.pointee.bytes, count, file.pointee.offset)
    }

    /// Writes the buffer, then runs `next`.
    private func afterFlush(_ next: () -> Int32) -> Int32 {
        let code = flush()
        return code == SQLITE_OK ? next() : code
    }

    /// If a reader of old pages blocks a checkpoint, SQLite copies some pages and counts them as copied without a sync. Those
    /// writes are not buffered.
    private func lockShared(at offset: Int32, count: Int32, flags: Int32) -> Int32 {
        let code = system.xShmLock(below, offset, count, flags)
        if code & 0xff == SQLITE_BUSY, flags & SQLITE_SHM_EXCLUSIVE != 0 { file.pointee.gathers = 0 }
        return code
    }

    /// Writes the buffer when a checkpoint has copied everything. SQLite may count it as copied without a sync, if another program
    /// wrote to the log. It ignores errors here, so a write that fails is repeated by the next call, which reports the error.
    private func control(_ operation: Int32, argument: UnsafeMutableRawPointer?) -> Int32 {
        if operation == SQLITE_FCNTL_CKPT_DONE {
            let count = file.pointee.count
            if flush() != SQLITE_OK { file.pointee.count = count }
        }
        return system.xFileControl(below, operation, argument)
    }

    private func close() -> Int32 {
        let code = flush()
        free(file.pointee.bytes)
        file.pointee.bytes = nil
        let closing = system.xClose(below)
        return code == SQLITE_OK ? closing : code
    }

    /// The methods that SQLite calls, as far as the system's file has them.
    private var wrapped: sqlite3_io_methods {
        var methods = sqlite3_io_methods()
        methods.iVersion = min(system.iVersion, 3)
        methods.xClose = { Self($0).close() }
        methods.xRead = { file, bytes, count, offset in
            Self(file).afterFlush { Self(file).system.xRead(Self(file).below, bytes, count, offset) }
        }
        methods.xWrite = { Self($0).write($1, count: $2, at: $3) }
        methods.xTruncate = { file, size in
            Self(file).afterFlush { Self(file).system.xTruncate(Self(file).below, size) }
        }
        methods.xSync = { file, flags in
            Self(file).afterFlush { Self(file).system.xSync(Self(file).below, flags) }
        }
        methods.xFileSize = { file, size in
            Self(file).afterFlush { Self(file).system.xFileSize(Self(file).below, size) }
        }
        methods.xLock = { Self($0).system.xLock(Self($0).below, $1) }
        methods.xUnlock = { Self($0).system.xUnlock(Self($0).below, $1) }
        methods.xCheckReservedLock = { Self($0).system.xCheckReservedLock(Self($0).below, $1) }
        methods.xFileControl = { Self($0).control($1, argument: $2) }
        methods.xSectorSize = { Self($0).system.xSectorSize(Self($0).below) }
        methods.xDeviceCharacteristics = { Self($0).system.xDeviceCharacteristics(Self($0).below) }
        methods.xShmMap = { Self($0).system.xShmMap(Self($0).below, $1, $2, $3, $4) }
        methods.xShmLock = { Self($0).lockShared(at: $1, count: $2, flags: $3) }
        methods.xShmBarrier = { Self($0).system.xShmBarrier(Self($0).below) }
        methods.xShmUnmap = { Self($0).system.xShmUnmap(Self($0).below, $1) }
        methods.xFetch = { file, offset, count, page in
            Self(file).afterFlush { Self(file).system.xFetch(Self(file).below, offset, count, page) }
        }
        methods.xUnfetch = { Self($0).system.xUnfetch(Self($0).below, $1, $2) }
        // Without this method, SQLite knows that there can be no write-ahead log.
        if system.iVersion >= 2, system.xShmMap == nil { methods.xShmMap = nil }
        return methods
    }

    // MARK: - the VFS

    /// The default VFS when the first store was opened. Safe because it is never changed.
    nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)

    /// The name for `sqlite3_open_v2`, registered at the first use; nil, which means the default VFS, if this one cannot be used.
    static let name: String? = {
        guard let system else { return nil }
        let name = "recorder"
        // SQLite keeps both as long as the process lives.
        let ours = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        ours.initialize(to: system.pointee)
        ours.pointee.pNext = nil
        ours.pointee.zName = UnsafePointer(strdup(name))
        ours.pointee.szOsFile += Int32(MemoryLayout<recorder_file>.stride)
        ours.pointee.xOpen = { open($1, file: $2, flags: $3, outFlags: $4) }
        return sqlite3_vfs_register(ours, 0) == SQLITE_OK ? name : nil
    }()

    /// Opens a database and its log with this VFS, other files with the system's.
    private static func open(
        _ path: UnsafePointer<CChar>?,
        file: UnsafeMutablePointer<sqlite3_file>?,
        flags: Int32,
        outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let system else { return SQLITE_CANTOPEN }
        guard flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_DB) != 0 else {
            return system.pointee.xOpen(system, path, file, flags, outFlags)
        }
        let opened = Self(file)
        opened.file.initialize(to: recorder_file())
        opened.below.pointee.pMethods = nil
        let code = system.pointee.xOpen(system, path, opened.below, flags, outFlags)
        // If methods are set, SQLite closes the file, even if opening it failed.
        guard opened.below.pointee.pMethods != nil else { return code }
        opened.file.pointee.methods = opened.wrapped
        opened.file.pointee.file.pMethods = opened.methods
        return code
    }
}
