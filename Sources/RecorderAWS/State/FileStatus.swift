import Foundation

/// What the system knows about a file or a directory: of a symbolic link itself, not of what it leads to.
package struct FileStatus: Sendable {
    /// What kind of thing it is.
    package enum Kind: Sendable {
        case file, directory, link, other
    }

    package let kind: Kind
    package let owner: UInt32
    /// The permission bits, set-id and sticky bits included.
    package let mode: UInt32

    /// nil with `errno` set where there is nothing, or nothing can be found out.
    package init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Of an open file.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            default: .other
            }
        owner = status.st_uid
        mode = status.st_mode & 0o7777
    }

    package var isOwn: Bool { owner == geteuid() }
    package var othersCanWrite: Bool { mode & 0o022 != 0 }
    package var othersHaveAccess: Bool { mode & 0o077 != 0 }
    package var isSticky: Bool { mode & S_ISVTX != 0 }

    /// As `chmod` takes it.
    package var modeText: String { "0\(String(mode, radix: 8))" }
}
