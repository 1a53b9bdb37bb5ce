import Glibc
import RecorderAWS

/// Disk space beside the database that is released when the disk is full.
///
/// Without it a full disk could not be drained: settling delivered records writes a few pages, and while that fails the same
/// records would be sent again and again. Saves never use it.
struct StoreReserve {
    private let path: String

    private static let size: off_t = 256 * 1_024

    init(beside database: String) {
        path = "\(database).reserve"
    }

    /// Frees the space; false if it was not there.
    func release() -> Bool {
        unsafe unlink(path) == 0
    }

    /// Allocates the space unless it is allocated; false if there is no room for it.
    func allocate() -> Bool {
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_size == Self.size { return true }
        // Opening a pipe without a reader must not block.
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard let status = FileStatus(descriptor: file), FileRights.problem(ofFile: path, status) == nil else {
            return false
        }
        fchmod(file, 0o600)
        // A sparse file would reserve nothing.
        if posix_fallocate(file, 0, Self.size) == 0 { return true }
        _ = unsafe unlink(path)
        return false
    }
}
