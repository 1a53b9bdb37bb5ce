import Foundation
import Glibc
import RecorderTestSupport

/// A separate file system, small enough to be filled.
struct SmallDisk: ~Copyable {
    enum Kind: String, CaseIterable, Sendable {
        case tmpfs
        case ext4 = "ext4-4096"
        /// A page of a database is four blocks.
        case ext4SmallBlocks = "ext4-1024"

        fileprivate var blockSize: String? { self == .tmpfs ? nil : self == .ext4 ? "4096" : "1024" }
    }

    let path: String

    /// nil if this process may not mount one.
    init?(_ directory: TemporaryDirectory, kilobytes: Int, kind: Kind = .tmpfs) throws {
        path = directory.path("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard let blockSize = kind.blockSize else {
            let options = "size=\(kilobytes)k,mode=700"
            guard try runTool("mount", "-t", "tmpfs", "-o", options, "tmpfs", path) == 0 else { return nil }
            return
        }
        let image = directory.path("image")
        guard try runTool("truncate", "-s", "\(kilobytes)K", image) == 0,
            // Without blocks that only root may use.
            try runTool("mkfs.ext4", "-q", "-m", "0", "-b", blockSize, image) == 0,
            try runTool("mount", "-o", "loop", image, path) == 0
        else { return nil }
    }

    deinit { _ = try? runTool("umount", "-l", path) }

    /// What is free for this process, in bytes.
    var freeBytes: Int {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? Int(status.f_bavail * status.f_frsize) : -1
    }

    /// Uses up the free space, to the last block.
    func fill() throws { Self.fill(path) }

    /// The same while the disk belongs to another one.
    static func fill(_ path: String) {
        let file = open("\(path)/filler", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(file) }
        // Twice: ext4 gives blocks back once its journal is written.
        for size in [4_096, 1_024, 4_096, 1_024] {
            let bytes = [UInt8](repeating: 0, count: size)
            while write(file, bytes, bytes.count) > 0 {}
            fsync(file)
        }
    }

    /// Uses up the free space but for so many kilobytes.
    func fill(but kilobytes: Int) throws {
        try fill()
        let size = try FileManager.default.attributesOfItem(atPath: "\(path)/filler")[.size] as? Int ?? 0
        truncate("\(path)/filler", size - kilobytes * 1_024)
    }

    func freeSomeSpace() throws { try FileManager.default.removeItem(atPath: "\(path)/filler") }
}

/// Runs a system program to its end.
@discardableResult
func runTool(_ words: String...) throws -> Int32 { try runTool(words) }

func runTool(_ words: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    try ProcessEnd(starting: process).wait()
    return process.terminationStatus
}
