import Glibc

/// The kind, owner and mode of a file or a directory. For a symbolic link, those of the link itself, unless it is followed.
package struct FileStatus: Sendable {
    /// The kinds of file.
    package enum Kind: Sendable {
        case file, directory, link, other
    }

    package let kind: Kind
    package let owner: UInt32
    /// The permission bits, set-id and sticky bits included.
    package let mode: UInt32

    /// The status of the file at a path; nil, with `errno` set, if it cannot be read.
    package init?(path: String, followingLinks: Bool = false) {
        var status = stat()
        guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    /// The status of an open file; nil, with `errno` set, if it cannot be read.
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

    /// The mode in the notation of `chmod`.
    package var modeText: String { "0\(String(mode, radix: 8))" }
}
