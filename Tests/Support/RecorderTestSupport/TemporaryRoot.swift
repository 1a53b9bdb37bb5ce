import Foundation
import Glibc

/// The one directory below the system's temporary directory that holds all those of this process.
///
/// It goes when the process exits. Where the process was killed or crashed, the next one removes it: a process holds the
/// lock on its shelf as long as it lives, whatever its end.
enum TemporaryRoot {
    private static let prefix = "recorder-tests-"
    private static let lockName = "in-use"

    /// The shelf's path, made at the first use.
    static let path = Result { () throws -> String in
        raiseDescriptorLimit()
        let place = FileManager.default.temporaryDirectory.standardizedFileURL.path
        removeAbandoned(in: place)
        let name = "\(prefix)\(UUID().uuidString)"
        let (path, unlocked) = ("\(place)/\(name)", "\(place)/.\(name)")
        // Others may pass through it: some tests let another user into a directory on it.
        try FileManager.default.createDirectory(
            atPath: unlocked,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o711]
        )
        _ = lock("\(unlocked)/\(lockName)", creating: true)
        // Only now is it to be seen: what has the name and no lock is abandoned.
        try FileManager.default.moveItem(atPath: unlocked, toPath: path)
        atexit { TemporaryRoot.removeOwn() }
        return path
    }

    /// Tests that run side by side have some thousand files and sockets open; many systems allow 1,024 until asked for more.
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

    private static func removeAbandoned(in place: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        for name in names where name.hasPrefix(prefix) {
            // Another user's cannot be locked.
            guard let file = lock("\(place)/\(name)/\(lockName)", creating: false) else { continue }
            remove("\(place)/\(name)")
            close(file)
        }
    }

    /// The locked file, closed by the end of the process; nil where there is none or somebody holds it.
    private static func lock(_ path: String, creating: Bool) -> CInt? {
        let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (creating ? O_CREAT : 0), 0o600)
        guard file >= 0 else { return nil }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            return nil
        }
        return file
    }

    /// Removes a shelf, after the disks that a test may have mounted on it.
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
