internal import CRecorderSQLite
internal import Glibc

/// A file of a connection, which takes what a commit or a checkpoint writes to it in few large pieces.
///
/// SQLite writes page by page: into the write-ahead log two system calls for each, into the database one. For commits of
/// hundreds of records that is two fifths of the time. A file system of our own (https://www.sqlite.org/vfs.html) hands
/// everything to the system's, but gathers what is written to the log during a commit, and to the database during a
/// checkpoint. Whatever SQLite does next with that file comes after what was gathered, and what it does next is to sync it:
/// before anybody may see a commit, and before it counts pages of the log as copied. So the order of what reaches the
/// disk, and what is there when a commit or a checkpoint ends, are the same as without. (For commits that takes
/// `synchronous=FULL`; for checkpoints see `lockShared`.)
struct WriteCoalescingVFS {
    enum Role {
        case database, log
    }

    private let file: UnsafeMutablePointer<recorder_file>

    /// So much is gathered before it is written. A call of SQLite's own file system takes at most 131,071 bytes: beyond, it
    /// says that the disk is full (`seekAndWriteFd` in its os_unix.c).
    private static let capacity: Int32 = 120 * 1_024

    /// A file of an open connection; nil if it is not open yet, or not by `fileSystem`.
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

    /// Gathers from now on. Where there is no memory for that each write goes its own way, as on a file system whose writes
    /// may spoil the bytes beside them: for that SQLite pads the log, and writes a part of the padding behind the sync.
    func begin() {
        guard system.xDeviceCharacteristics(below) & SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0 else { return }
        if file.pointee.bytes == nil { file.pointee.bytes = malloc(Int(Self.capacity)) }
        file.pointee.gathers = file.pointee.bytes == nil ? 0 : 1
    }

    /// Writes what is left, which is nothing once SQLite has synced the file, and gathers no more.
    func end() -> Int32 {
        file.pointee.gathers = 0
        return writeGathered()
    }

    // MARK: - what SQLite does with it

    /// The system's file.
    private var below: UnsafeMutablePointer<sqlite3_file> {
        UnsafeMutableRawPointer(file + 1).assumingMemoryBound(to: sqlite3_file.self)
    }

    private var system: sqlite3_io_methods { below.pointee.pMethods.pointee }

    /// Where ours keeps what SQLite calls; no other file's methods are there.
    private var methods: UnsafePointer<sqlite3_io_methods> {
        let start = UnsafeRawPointer(file) + MemoryLayout<sqlite3_file>.stride
        return start.assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    private func write(_ bytes: UnsafeRawPointer?, _ count: Int32, at offset: Int64) -> Int32 {
        guard file.pointee.gathers != 0, count <= Self.capacity, let bytes else {
            return afterGathered { system.xWrite(below, bytes, count, offset) }
        }
        let isNext = offset == file.pointee.offset + Int64(file.pointee.count)
        if !isNext || file.pointee.count + count > Self.capacity {
            let code = writeGathered()
            guard code == SQLITE_OK else { return code }
        }
        if file.pointee.count == 0 { file.pointee.offset = offset }
        memcpy(file.pointee.bytes + Int(file.pointee.count), bytes, Int(count))
        file.pointee.count += count
        return SQLITE_OK
    }

    /// After an error nothing is gathered either: SQLite takes back the commit, or counts nothing of the checkpoint.
    private func writeGathered() -> Int32 {
        let count = file.pointee.count
        guard count > 0 else { return SQLITE_OK }
        file.pointee.count = 0
        return system.xWrite(below, file.pointee.bytes, count, file.pointee.offset)
    }

    /// Does `next` once the file has everything that was written to it.
    private func afterGathered(_ next: () -> Int32) -> Int32 {
        let code = writeGathered()
        return code == SQLITE_OK ? next() : code
    }

    /// A reader of old pages is in the way of a checkpoint: SQLite copies the rest, and counts it as copied without a sync.
    /// So that is not gathered.
    private func lockShared(_ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
        let code = system.xShmLock(below, offset, count, flags)
        if code & 0xff == SQLITE_BUSY, flags & SQLITE_SHM_EXCLUSIVE != 0 { file.pointee.gathers = 0 }
        return code
    }

    /// A checkpoint has copied everything, and may count it as copied next, without a sync where another program wrote to
    /// the log meanwhile. SQLite asks for no answer here: what cannot be written is left to its next call, which tells.
    private func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
        if operation == SQLITE_FCNTL_CKPT_DONE {
            let count = file.pointee.count
            if writeGathered() != SQLITE_OK { file.pointee.count = count }
        }
        return system.xFileControl(below, operation, argument)
    }

    private func close() -> Int32 {
        let code = writeGathered()
        free(file.pointee.bytes)
        file.pointee.bytes = nil
        let closing = system.xClose(below)
        return code == SQLITE_OK ? closing : code
    }

    /// What SQLite calls, as far as the system's file has it.
    private var wrapped: sqlite3_io_methods {
        var methods = sqlite3_io_methods()
        methods.iVersion = min(system.iVersion, 3)
        methods.xClose = { Self($0).close() }
        methods.xRead = { file, bytes, count, offset in
            Self(file).afterGathered { Self(file).system.xRead(Self(file).below, bytes, count, offset) }
        }
        methods.xWrite = { Self($0).write($1, $2, at: $3) }
        methods.xTruncate = { file, size in
            Self(file).afterGathered { Self(file).system.xTruncate(Self(file).below, size) }
        }
        methods.xSync = { file, flags in
            Self(file).afterGathered { Self(file).system.xSync(Self(file).below, flags) }
        }
        methods.xFileSize = { file, size in
            Self(file).afterGathered { Self(file).system.xFileSize(Self(file).below, size) }
        }
        methods.xLock = { Self($0).system.xLock(Self($0).below, $1) }
        methods.xUnlock = { Self($0).system.xUnlock(Self($0).below, $1) }
        methods.xCheckReservedLock = { Self($0).system.xCheckReservedLock(Self($0).below, $1) }
        methods.xFileControl = { Self($0).control($1, $2) }
        methods.xSectorSize = { Self($0).system.xSectorSize(Self($0).below) }
        methods.xDeviceCharacteristics = { Self($0).system.xDeviceCharacteristics(Self($0).below) }
        methods.xShmMap = { Self($0).system.xShmMap(Self($0).below, $1, $2, $3, $4) }
        methods.xShmLock = { Self($0).lockShared($1, $2, $3) }
        methods.xShmBarrier = { Self($0).system.xShmBarrier(Self($0).below) }
        methods.xShmUnmap = { Self($0).system.xShmUnmap(Self($0).below, $1) }
        methods.xFetch = { file, offset, count, page in
            Self(file).afterGathered { Self(file).system.xFetch(Self(file).below, offset, count, page) }
        }
        methods.xUnfetch = { Self($0).system.xUnfetch(Self($0).below, $1, $2) }
        // Without it SQLite knows that there can be no write-ahead log.
        if system.iVersion >= 2, system.xShmMap == nil { methods.xShmMap = nil }
        return methods
    }

    // MARK: - the file system

    /// The default one when the first store was opened. Never changed, so that all threads may read it.
    nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)

    /// The name of the file system for `sqlite3_open_v2`, which SQLite knows from the first use on; nil, which is the
    /// system's own, where that cannot be built on.
    static let fileSystem: String? = {
        guard let system else { return nil }
        let name = "recorder"
        // SQLite keeps both for as long as the process lives.
        let ours = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        ours.initialize(to: system.pointee)
        ours.pointee.pNext = nil
        ours.pointee.zName = UnsafePointer(strdup(name))
        ours.pointee.szOsFile += Int32(MemoryLayout<recorder_file>.stride)
        ours.pointee.xOpen = { open($1, $2, $3, $4) }
        return sqlite3_vfs_register(ours, 0) == SQLITE_OK ? name : nil
    }()

    /// Opens a database and its log as ours, any other file as the system's.
    private static func open(
        _ path: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ flags: Int32,
        _ given: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let system else { return SQLITE_CANTOPEN }
        guard flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_DB) != 0 else {
            return system.pointee.xOpen(system, path, file, flags, given)
        }
        let opened = Self(file)
        opened.file.initialize(to: recorder_file())
        opened.below.pointee.pMethods = nil
        let code = system.pointee.xOpen(system, path, opened.below, flags, given)
        // With methods the file is SQLite's to close, even where opening it failed.
        guard opened.below.pointee.pMethods != nil else { return code }
        opened.file.pointee.methods = opened.wrapped
        opened.file.pointee.file.pMethods = opened.methods
        return code
    }
}
