import Glibc

/// Which file lies at a path: tells a file from one that took its place, without a look inside.
struct FileIdentity: Sendable, Hashable, CustomStringConvertible {
    private let device: dev_t
    private let number: ino_t

    var description: String { "\(device):\(number)" }

    /// nil where there is no file.
    init?(_ path: String) {
        var status = stat()
        // Asked at each commit: a string that is passed as it is, is copied first.
        guard unsafe path.withCString({ unsafe stat($0, &status) }) == 0 else { return nil }
        device = status.st_dev
        number = status.st_ino
    }

    /// nil where there is no such descriptor.
    init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        device = status.st_dev
        number = status.st_ino
    }
}
