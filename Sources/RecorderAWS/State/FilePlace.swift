import CRecorderProcess
import FoundationEssentials
import Glibc

/// Where a file is, so that a copy of it is somewhere else: its disk, its inode, and when it was created.
package struct FilePlace: Sendable, CustomStringConvertible {
    package let description: String

    /// nil if there is no file.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let disk = Self.attachment(of: status.st_dev) ?? Self.fileSystem(of: path)
        description = "\(status.st_dev):\(status.st_ino):\(Self.birth(of: path)):\(disk)"
    }

    /// When a file was created, in nanoseconds since 1970; 0 where the file system does not say.
    package static func birth(of path: String) -> Int64 {
        var status = statx()
        guard unsafe statx(AT_FDCWD, path, 0, UInt32(STATX_BTIME), &status) == 0,
            status.stx_mask & UInt32(STATX_BTIME) != 0
        else { return 0 }
        return Int64(status.stx_btime.tv_sec) * 1_000_000_000 + Int64(status.stx_btime.tv_nsec)
    }

    /// What tells a subvolume of Btrfs or a clone of ZFS from the one that it was made of; a file system that is rolled back in
    /// place keeps it.
    private static func fileSystem(of path: String) -> String {
        var status = statfs()
        guard unsafe statfs(path, &status) == 0 else { return "" }
        return "\(status.f_fsid.__val.0).\(status.f_fsid.__val.1)"
    }

    /// A number that is another one whenever a disk is attached: two images that are mounted in turn have the same device. nil
    /// where the system has none, such as for file systems without a disk of their own.
    /// https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-block
    private static func attachment(of device: dev_t) -> String? {
        let directory = "/sys/dev/block/\(device >> 8 & 0xFFF):\(device & 0xFF | device >> 12 & 0xFFF00)"
        // A partition has that of its disk.
        for path in ["\(directory)/diskseq", "\(directory)/../diskseq"] {
            if let text = try? String(contentsOfFile: path, encoding: .utf8) { return String(text.trimmed()) }
        }
        return nil
    }
}
