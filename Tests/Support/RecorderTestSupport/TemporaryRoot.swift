import Foundation
import Glibc

/// The directory below the system's temporary directory that contains all temporary directories of this process.
///
/// Removed when the process exits. If the process was killed or crashed, the next one removes it: a process holds a
/// lock on its root until it ends, however it ends.
enum TemporaryRoot {
    private static let prefix = "recorder-tests-"
    private static let lockName = "in-use"

    /// The root's path, created at the first use.
    static let path = Result { () throws -> String in
        raiseDescriptorLimit()
        let parent = FileManager.default.temporaryDirectory.standardizedFileURL.path
        removeAbandoned(in: parent)
        let name = "\(prefix)\(UUID().uuidString)"
        let (path, unlocked) = ("\(parent)/\(name)", "\(parent)/.\(name)")
        // Other users may traverse it: some tests let another user into a directory below it.
        try FileManager.default.createDirectory(
            atPath: unlocked,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o711]
        )
        _ = lock("\(unlocked)/\(lockName)", creating: true)
        // Renamed only now: a directory with this name and without a lock counts as abandoned.
        try FileManager.default.moveItem(atPath: unlocked, toPath: path)
        atexit { TemporaryRoot.removeOwn() }
        return path
    }

    /// Parallel tests open several thousand files and sockets; many systems have a soft limit of 1,024.
    private static func raiseDescriptorLimit() {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0, limit.rlim_cur < 65_536 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        setrlimit(files, &limit)
    }

    private static func removeOwn() {
        if let path = try? path.get() { remove(path) }
    }

    private static func removeAbandoned(in parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            // Another user's root cannot be locked.
            guard let file = lock("\(parent)/\(name)/\(lockName)", creating: false) else { continue }
            remove("\(parent)/\(name)")
            close(file)
        }
    }

    /// A file that is locked until the process ends; nil if there is none or it is locked already.
    private static func lock(_ path: String, creating: Bool) -> CInt? {
        let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (creating ? O_CREAT : 0), 0o600)
        guard file >= 0 else { return nil }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            return nil
        }
        return file
    }

    /// Removes a root, after unmounting the disks that a test may have mounted below it.
    private static func remove(_ path: String) {
        let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
        for line in mounts.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 1, words[1].hasPrefix("\(path)/") else { continue }
            umount2(String(words[1]), CInt(MNT_DETACH))
        }
        try? FileManager.default.removeItem(atPath: path)
    }
}
