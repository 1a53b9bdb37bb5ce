internal import CRecorderSQLite
internal import Glibc

/// What a database and its log take of the disk.
extension SQLiteConnection {
    /// The size of a page, in bytes: SQLite's default.
    package static let pageSize = 4_096

    /// Makes `allocateDatabase` allocate: without a unit, SQLite ignores size hints.
    package func setAllocationUnit() throws(SQLiteError) {
        var unit = Int32(Self.pageSize)
        try check(
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_CHUNK_SIZE, &unit),
            while: "setting the allocation unit"
        )
    }

    /// Keeps the log and its shared memory if this is the last connection that closes.
    package func keepLogWhenClosed() {
        var keeps: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
    }

    /// Keeps them as they are: what is in the log is not moved into the database.
    package func leaveLogWhenClosed() {
        recorder_sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        keepLogWhenClosed()
    }

    /// Whether checkpoints leave the database's file as large as it is.
    package var keepsDatabaseSize: Bool {
        get { BufferingVFS(.database, of: handle)?.file.pointee.keeps_size == 1 }
        set { BufferingVFS(.database, of: handle)?.file.pointee.keeps_size = newValue ? 1 : 0 }
    }

    /// The pages for which the database's file has room.
    package var databaseFilePages: Int {
        guard let file = BufferingVFS(.database, of: handle) else { return 0 }
        var size: Int64 = 0
        return file.system.xFileSize(file.below, &size) == SQLITE_OK ? Int(size) / Self.pageSize : 0
    }

    /// Allocates disk space so that the database can have so many pages. False if that fails, whatever the reason.
    package func allocateDatabase(pages: Int) -> Bool {
        var size = Int64(pages) * Int64(Self.pageSize)
        if let descriptor = databaseDescriptor {
            let start = Int64(databaseFilePages * Self.pageSize)
            if fallocate(descriptor, 0, off_t(start), off_t(max(size - start, 1))) == 0 { return true }
            if [ENOSPC, EDQUOT].contains(errno) { return false }
        }
        // Writes a byte into each block, unless SQLite was built to allocate them.
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_SIZE_HINT, &size) == SQLITE_OK
    }

    /// Where the database's file is now, wherever it was moved; not certain, so look for the file there. nil without /proc.
    package var currentPath: String? {
        guard let file = likelyDescriptor else { return nil }
        var path = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/fd/\(file)", &path, path.count)
        return count > 0 ? String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    /// SQLite's descriptor of the database; not certain, so compare its file with that at a path.
    package var likelyDescriptor: Int32? {
        BufferingVFS(.database, of: handle).map { recorder_unix_file_descriptor($0.below) }
    }

    /// Makes the size of the database's file durable, as far as possible.
    package func syncDatabaseSize() {
        BufferingVFS(.database, of: handle)?.syncSize()
    }

    /// SQLite's descriptor of the database. It must not be closed, and no other one can be used: closing that would release
    /// SQLite's locks. SQLite does not hand it out, so it is read where `unixFile` of its os_unix.c has it, and checked: nil if
    /// it is not the descriptor of that file.
    private var databaseDescriptor: Int32? {
        guard let file = BufferingVFS(.database, of: handle), let path = sqlite3_db_filename(handle, "main") else {
            return nil
        }
        let found = recorder_unix_file_descriptor(file.below)
        var (open, named) = (stat(), stat())
        guard fstat(found, &open) == 0, stat(path, &named) == 0 else { return nil }
        return open.st_dev == named.st_dev && open.st_ino == named.st_ino ? found : nil
    }
}
