import Foundation
import RecorderAWS

/// Some space beside the database that is given back when the disk is full.
///
/// Without it a full disk could not even be drained: settling what was delivered writes a few pages, and as long as
/// those fail the same records would be sent again and again. Saves never get it.
struct StoreReserve {
    private let path: String

    private static let size: off_t = 256 * 1_024

    init(beside database: String) {
        path = "\(database).reserve"
    }

    /// Runs `body`; if the disk is full, once more with the reserve given back.
    func whereNeeded<T>(_ body: () throws(RecorderError) -> T) throws(RecorderError) -> T {
        do {
            return try body()
        } catch {
            guard error.isDiskFull, unsafe unlink(path) == 0 else { throw error }
            return try body()
        }
    }

    /// Takes the space again if it was given and there is room; false if there is none.
    func keep() -> Bool {
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_size == Self.size { return true }
        // What is no file, as a pipe that nobody reads, must not hold up the store.
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard let status = FileStatus(descriptor: file), FileRights.problem(ofFile: path, status) == nil else {
            return false
        }
        // A file with holes would reserve nothing.
        if posix_fallocate(file, 0, Self.size) == 0 { return true }
        _ = unsafe unlink(path)
        return false
    }
}
