internal import CRecorderSQLite
internal import Glibc

/// A file of a connection, which is written and read in few large steps.
///
/// SQLite reads and writes page by page, with a system call or two for each. This VFS (https://www.sqlite.org/vfs.html) passes
/// everything to the system's VFS, but combines the writes of a commit or a checkpoint (BufferingVFS+Writes.swift), and reads
/// several pages at once where SQLite reads one after the other (BufferingVFS+Reads.swift). A file has one buffer for both,
/// which is allocated at its first use.
struct BufferingVFS {
    enum Role {
        case database, log
    }

    let file: UnsafeMutablePointer<recorder_file>

    /// The size of the buffer, in bytes. A write of the system's VFS takes at most 131,071 bytes; beyond that it reports that
    /// the disk is full (`seekAndWriteFd` in SQLite's os_unix.c).
    static let capacity: Int32 = 120 * 1_024

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

    /// The file of the system's VFS.
    var below: UnsafeMutablePointer<sqlite3_file> {
        UnsafeMutableRawPointer(file + 1).assumingMemoryBound(to: sqlite3_file.self)
    }

    var system: sqlite3_io_methods { below.pointee.pMethods.pointee }

    /// The address of this VFS's methods, by which its files are recognized.
    private var methods: UnsafePointer<sqlite3_io_methods> {
        let start = UnsafeRawPointer(file) + MemoryLayout<sqlite3_file>.stride
        return start.assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    /// The buffer, allocated if there is none; nil if there is no memory for it.
    var buffer: UnsafeMutableRawPointer? {
        if file.pointee.bytes == nil { file.pointee.bytes = malloc(Int(Self.capacity)) }
        return file.pointee.bytes
    }

    // MARK: - operations of SQLite

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
        methods.xRead = { Self($0).read($1, count: $2, at: $3) }
        methods.xWrite = { Self($0).write($1, count: $2, at: $3) }
        methods.xTruncate = { Self($0).truncate(to: $1) }
        methods.xSync = { Self($0).sync($1) }
        methods.xFileSize = { file, size in
            Self(file).afterFlush { Self(file).system.xFileSize(Self(file).below, size) }
        }
        methods.xLock = { Self($0).lockChanged().system.xLock(Self($0).below, $1) }
        methods.xUnlock = { Self($0).lockChanged().system.xUnlock(Self($0).below, $1) }
        methods.xCheckReservedLock = { Self($0).system.xCheckReservedLock(Self($0).below, $1) }
        methods.xFileControl = { Self($0).control($1, argument: $2) }
        methods.xSectorSize = { Self($0).system.xSectorSize(Self($0).below) }
        methods.xDeviceCharacteristics = { Self($0).system.xDeviceCharacteristics(Self($0).below) }
        methods.xShmMap = { Self($0).mapShared(region: $1, size: $2, extends: $3, at: $4) }
        methods.xShmLock = { Self($0).lockChanged().lockShared(at: $1, count: $2, flags: $3) }
        methods.xShmBarrier = { Self($0).system.xShmBarrier(Self($0).below) }
        methods.xShmUnmap = { file, deletes in
            Self(file).file.pointee.index = nil
            return Self(file).system.xShmUnmap(Self(file).below, deletes)
        }
        methods.xFetch = { file, offset, count, page in
            Self(file).afterFlush { Self(file).system.xFetch(Self(file).below, offset, count, page) }
        }
        methods.xUnfetch = { Self($0).system.xUnfetch(Self($0).below, $1, $2) }
        // Without this method, SQLite knows that there can be no write-ahead log.
        if system.iVersion >= 2, system.xShmMap == nil { methods.xShmMap = nil }
        return methods
    }

    /// SQLite extends the shared memory by a byte for each 4 KiB. Where blocks are smaller, the others are allocated when they are
    /// written to first, and on a full disk that would end the process (SIGBUS). So all are allocated here (Linux 5.14), also in a
    /// file that is long enough: a program that found the disk full, or was killed, or a copy may have left holes.
    private func mapShared(
        region: Int32,
        size: Int32,
        extends: Int32,
        at address: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32 {
        let code = system.xShmMap(below, region, size, extends, address)
        guard code == SQLITE_OK, let start = address?.pointee else { return code }
        if region == 0 { file.pointee.index = UnsafeMutableRawPointer(start) }
        guard madvise(start, Int(size), Self.populateForWriting) != 0, errno == EFAULT else { return code }
        // SQLite uses what it was given without asking again, even to close the connection.
        address?.pointee = nil
        return SQLITE_FULL
    }

    /// MADV_POPULATE_WRITE, which older headers do not have.
    private static let populateForWriting: Int32 = 23

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
        // A log's database was opened before it, by the same VFS, and is closed after it.
        let database = flags & SQLITE_OPEN_WAL == 0 ? file : sqlite3_database_file_object(path)
        opened.file.pointee.database = Self(database).file
        opened.file.pointee.methods = opened.wrapped
        opened.file.pointee.file.pMethods = opened.methods
        return code
    }
}
