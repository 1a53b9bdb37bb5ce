import CRecorderProcess
import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderStore

/// Questions to the file system.
enum Files {
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    /// Where relative paths begin.
    static var workingDirectory: String { FileManager.default.currentDirectoryPath }

    /// Why the names in a directory cannot be read; nil if they can, or if there is none.
    static func obstacle(toNamesIn directory: String) -> String? {
        let opened = unsafe opendir(directory)
        let number = errno
        if let opened = unsafe opened {
            _ = unsafe closedir(opened)
            return nil
        }
        if number == ENOENT || number == ENOTDIR { return nil }
        let owner = number == EACCES ? FileRights.otherOwner(of: directory) : nil
        return PathDiagnosis.descriptorAdvice(for: number)
            ?? "\(String(errorNumber: number))\(owner.map { "; \($0)" } ?? "")."
    }

    /// The sorted names in a directory; none where it cannot be read.
    static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    /// The bytes that this user may still write to the disk of a directory; nil if that is unknown.
    static func freeSpace(in directory: String) -> Int? {
        var disk = statvfs()
        guard unsafe statvfs(directory, &disk) == 0 else { return nil }
        return Int(clamping: disk.f_bavail.multipliedReportingOverflow(by: disk.f_frsize).partialValue)
    }

    /// The type of the file system that a directory is on, such as `ext4`; nil if it is unknown.
    static func fileSystem(of directory: String) -> String? {
        let resolved = URL(fileURLWithPath: directory).resolvingSymlinksInPath().path
        // Each line: device, mount point, type, …; https://man7.org/linux/man-pages/man5/proc_mounts.5.html
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
        var found: (point: String, type: String)?
        for fields in mounts.split(separator: "\n").map({ $0.split(separator: " ") }) where fields.count > 2 {
            let point = fields[1] == "/" ? "/" : "\(fields[1])/"
            guard "\(resolved)/".hasPrefix(point), point.count >= found?.point.count ?? 0 else { continue }
            found = (point, String(fields[2]))
        }
        if let found { return found.type }
        // Below a chroot, /proc/mounts may not name the file system of the root.
        var status = statfs()
        return unsafe statfs(resolved, &status) == 0
            ? FileSystemMagic.name(of: Int64(status.f_type)) : nil
    }
}

/// The numbers of file systems, https://man7.org/linux/man-pages/man2/statfs.2.html
package enum FileSystemMagic {
    private static let names: [UInt32: String] = [
        0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0xF2F5_2010: "f2fs", 0x2FC1_2FC1: "zfs",
        0x794C_7630: "overlay", 0x2405_1905: "ubifs", 0x72B6: "jffs2", 0x7371_7368: "squashfs", 0x4D44: "vfat",
        0x0102_1994: "tmpfs", 0x8584_58F6: "ramfs", 0x6969: "nfs", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb3",
        0x0102_1997: "9p", 0x00C3_6400: "ceph", 0x6573_5546: "fuse",
    ]

    /// The name, as /proc/mounts has it. The type's width and sign differ by architecture; the number has 32 bits.
    package static func name(of number: Int64) -> String {
        let number = UInt32(truncatingIfNeeded: number)
        return names[number] ?? "0x\(String(number, radix: 16))"
    }
}

/// A store, recognized by the name of its file.
struct StoreFile: Sendable {
    /// As `kinesis` or `amplify-firehose`.
    let service: String
    /// The key of a recorder or the region of an Amplify client; nil for a default recorder.
    let key: String?
    let location: StoreLocation

    /// The option that selects it among the stores of its directory; nil for a default recorder.
    var option: String? { key.map { "--key \(FileRights.quoted($0))" } }

    /// nil if the name is not that of a store.
    private init?(_ file: String, in directory: String) {
        guard file.hasSuffix(".db") else { return nil }
        let stem = file.dropLast(3)
        guard let service = StoreLocation.services.first(where: { stem == $0 || stem.hasPrefix("\($0)-") }) else {
            return nil
        }
        self.service = service
        key = stem == service ? nil : String(stem.dropFirst(service.count + 1))
        // By file name, not by key: a key that cannot be a file name is hashed into one.
        location = StoreLocation(directory: directory, fileName: file)
    }

    /// The stores of a directory, by name.
    static func all(in directory: String) -> [StoreFile] {
        Files.names(in: directory).compactMap { StoreFile($0, in: directory) }
    }
}
