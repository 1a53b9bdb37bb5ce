import CRecorderProcess
import Glibc

/// What a file is, whatever its name: the inode on its device, and when it was created, since an inode is used again.
package struct FileKey: Sendable, Hashable {
    package let device: UInt64
    package let inode: UInt64
    /// In nanoseconds since 1970; 0 where the file system does not say.
    package let birth: Int64

    package init(device: UInt64, inode: UInt64, birth: Int64) {
        (self.device, self.inode, self.birth) = (device, inode, birth)
    }

    /// Whether another file has the same inode. Of an open file, only its copy in another layer of a container can be that.
    package func hasInode(of other: FileKey) -> Bool {
        device == other.device && inode == other.inode && birth != other.birth
    }
}

/// What the system says about a file.
package struct FileFacts: Sendable {
    package enum Kind: Sendable {
        case file, directory, link, fifo, socket, device
    }

    /// Whether programs have a deleted file open for writing.
    package enum Writers: Sendable, Hashable {
        case some, none, unknown
    }

    package let key: FileKey
    package let kind: Kind
    package let size: Int
    /// When its bytes were changed last, in nanoseconds since 1970; of a directory, the names in it.
    package let changed: Int64
    /// How many names it has.
    package let names: Int

    /// A file may have any size: on some file systems `truncate -s 8E` takes no room. No file has more than a pebibyte of lines,
    /// and sums of such sizes do not overflow.
    private static let mostBytes = 1 << 50

    /// nil, with `errno` set, if there is no such file.
    init?(_ directory: Int32, _ path: String, flags: Int32) {
        let wanted = UInt32(STATX_BASIC_STATS) | UInt32(STATX_BTIME)
        var status = statx()
        guard unsafe statx(directory, path, flags, wanted, &status) == 0 else { return nil }
        let hasBirth = status.stx_mask & UInt32(STATX_BTIME) != 0
        key = FileKey(
            device: UInt64(status.stx_dev_major) << 32 | UInt64(status.stx_dev_minor),
            inode: status.stx_ino,
            birth: hasBirth ? Self.nanoseconds(status.stx_btime) : 0
        )
        kind =
            switch mode_t(status.stx_mode) & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            default: .device
            }
        size = min(Int(clamping: status.stx_size), Self.mostBytes)
        changed = Self.nanoseconds(status.stx_mtime)
        names = Int(status.stx_nlink)
    }

    package init(_ key: FileKey, _ kind: Kind, size: Int, changed: Int64, names: Int) {
        (self.key, self.kind, self.size) = (key, kind, min(size, Self.mostBytes))
        (self.changed, self.names) = (changed, names)
    }

    /// Of a file that could not be read. It may have more by the time it is gone, also if it had nothing.
    init(_ key: FileKey, unread size: Int?, changed: Int64) {
        self.init(key, .file, size: max(size ?? 1, 1), changed: changed, names: 1)
    }

    /// Whether it was changed lately, so that it may still grow.
    package func isRecent(at time: Int64) -> Bool { abs(time - changed) < 5_000_000_000 }

    private static func nanoseconds(_ time: statx_timestamp) -> Int64 {
        nanoseconds(Int(time.tv_sec), Int(time.tv_nsec))
    }

    /// A file may have any time; those beyond the years 1843 and 2096 count as these, so that no difference of two overflows.
    package static func nanoseconds(_ seconds: Int, _ nanoseconds: Int) -> Int64 {
        Int64(min(max(seconds, -4_000_000_000), 4_000_000_000)) * 1_000_000_000 + Int64(nanoseconds)
    }
}
