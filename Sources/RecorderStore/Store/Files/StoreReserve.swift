import FoundationEssentials
import Glibc
import RecorderAWS

/// Disk space beside the database, for what needs some on a full disk and cannot have it allocated ahead: the shared memory of an
/// opening, and settling on a file system that copies on write. Saves never use it.
struct StoreReserve {
    private let path: String
    private let database: String

    private static let suffix = ".reserve"
    static let size = 256 * 1_024
    /// What the shared memory of an opening takes of it.
    static let sharedMemory = 32 * 1_024
    /// Of a disk that is almost full, the reserve takes a multiple of this.
    private static let step = 32 * 1_024

    init(beside database: String) {
        self.database = database
        path = database + Self.suffix
    }

    /// Frees the space; false if there is none.
    ///
    /// What was freed for a moment may be in the reserve of another store of this directory by now, if that began on the full disk:
    /// then this one frees that, so that the space goes round.
    func release() -> Bool {
        if remove(path) { return true }
        let directory = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.sorted().contains { $0.hasSuffix(".db\(Self.suffix)") && remove("\(directory)/\($0)") }
    }

    private func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }

    /// Allocates the space unless it is allocated, or as much of it as there is room for.
    func allocate() {
        var status = stat()
        // A copy of the directory may be one hole, which reserves nothing.
        let old = unsafe lstat(path, &status) == 0 && status.st_blocks > 0 ? Int(status.st_size) : 0
        guard old < Self.size else { return }
        let free = DiskSpace.free(at: database) ?? 0
        let size = free < Self.size - old ? (old + free) / Self.step * Self.step : Self.size
        guard size > old else { return }
        // Opening a pipe without a reader must not block.
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        guard let status = FileStatus(descriptor: file), FileRights.problem(ofFile: path, status) == nil else { return }
        fchmod(file, 0o600)
        if posix_fallocate(file, 0, off_t(size)) == 0 {
            // A power cut would take it back, and the disk may be full by then.
            fsync(file)
        } else if old == 0 {
            _ = remove(path)
        }
    }
}
