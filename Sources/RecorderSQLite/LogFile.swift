internal import CRecorderSQLite
internal import Glibc

/// The write-ahead log as a file. SQLite holds no locks on it, so it may be opened and closed beside SQLite.
package struct LogFile {
    private let path: String

    /// https://www.sqlite.org/fileformat2.html#walformat
    private static let headerBytes = 32
    private static let frameBytes = 24 + SQLiteConnection.pageSize

    package enum Allocation {
        case allocated, full
        /// The disk failed: the same may succeed later.
        case failed
        /// The file cannot be opened now: the same may succeed later.
        case notOpened
        /// The file system cannot allocate.
        case unknown
    }

    package init(of database: String) {
        path = "\(database)-wal"
    }

    /// Allocates disk space for its first pages, without changing its size.
    package func allocate(pages: Int) -> Allocation {
        allocatedPages >= pages ? .allocated : allocate(from: 0, bytes: Self.bytes(pages: pages))
    }

    /// The size of a log with so many pages.
    package static func bytes(pages: Int) -> Int { headerBytes + pages * frameBytes }

    /// The pages of a log of that size.
    package static func pages(bytes: Int) -> Int { max(bytes - headerBytes, 0) / frameBytes }

    /// The pages for which it has disk space.
    package var allocatedPages: Int { Self.pages(bytes: allocatedBytes) }

    /// Allocates so many bytes more.
    package func allocate(bytesMore bytes: Int) -> Allocation {
        allocate(from: allocatedBytes, bytes: bytes)
    }

    private var allocatedBytes: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_blocks) * 512 : 0
    }

    private func allocate(from start: Int, bytes: Int) -> Allocation {
        let file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return errno == EIO ? .failed : .notOpened }
        defer { close(file) }
        while fallocate(file, Int32(RECORDER_FALLOC_FL_KEEP_SIZE), off_t(start), off_t(bytes)) != 0 {
            switch errno {
            case EINTR: continue
            case ENOSPC, EDQUOT: return .full
            case EIO: return .failed
            default: return .unknown
            }
        }
        return .allocated
    }
}
