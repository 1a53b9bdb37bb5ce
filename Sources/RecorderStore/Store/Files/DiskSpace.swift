import Glibc

/// What is free on a file system.
enum DiskSpace {
    /// Less than this is scarce, as is less than a quarter of a small disk.
    private static let scarceBytes = 16 * 1_024 * 1_024

    /// The bytes that this user may still allocate on the disk of a file; nil if that is not known.
    static func free(at path: String) -> Int? { status(at: path).map { bytes($0.f_bavail, of: $0) } }

    /// Whether other programs could use up the disk of a file at any moment.
    static func isScarce(at path: String) -> Bool {
        guard let status = status(at: path) else { return true }
        return bytes(status.f_bavail, of: status) < min(scarceBytes, bytes(status.f_blocks, of: status) / 4)
    }

    /// The size, in bytes, beyond which this process may not write to a file (`ulimit -f`).
    static var largestFile: Int {
        var limit = rlimit()
        let isKnown = unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
        return isKnown ? Int(clamping: limit.rlim_cur) : .max
    }

    private static func status(at path: String) -> statvfs? {
        var status = statvfs()
        return unsafe statvfs(path, &status) == 0 ? status : nil
    }

    private static func bytes(_ blocks: UInt, of status: statvfs) -> Int {
        let (bytes, overflows) = blocks.multipliedReportingOverflow(by: status.f_frsize)
        return overflows ? .max : Int(clamping: bytes)
    }
}
