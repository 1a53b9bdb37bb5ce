import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderConcurrency

/// The files of a store, side by side in its directory: owned by this user, no links, private.
///
/// The database and its log files are inspected and changed by path only. Opening and closing one of them would cancel the
/// locks that SQLite holds on it for this process, and another process could then remove the log that this one writes to:
/// https://www.sqlite.org/howtocorrupt.html
enum StoreFiles {
    /// The endings of the files' names; the first is the database.
    static let suffixes = ["", "-wal", "-shm", ".lock", ".submit", ".reserve", ".follow"]

    /// Refuses files that this user may not read, and changes none. Called before a store is only read. Root reads any user's.
    static func checkReadable(_ database: String) throws(RecorderError) {
        for suffix in ["", "-wal", "-shm"] {
            let path = "\(database)\(suffix)"
            guard let status = FileStatus(path: path), let wrong = FileRights.problem(ofReadFile: path, status) else {
                continue
            }
            throw .storage("The record file \(wrong.message)", nil)
        }
    }

    /// Whether this user can write a store: its directory and its file are this user's, and the disk can be written.
    static func areWritable(_ database: String) -> Bool {
        let directory = URL(fileURLWithPath: database).deletingLastPathComponent().path
        return [directory, database].allSatisfy { path in
            unsafe FileStatus(path: path)?.isOwn == true && access(path, W_OK) == 0
        }
    }

    /// Refuses files that are not this user's, and makes private what others may use. Called before SQLite opens the database.
    static func secure(_ database: String) throws(RecorderError) {
        for suffix in suffixes {
            let path = "\(database)\(suffix)"
            guard let status = FileStatus(path: path) else { continue }
            try secure(path, status: status)
        }
    }

    /// The same for a lock file that is open, whatever is at its path now. A umask may have taken this user's own rights.
    private static func secure(_ path: String, descriptor: Int32) throws(RecorderError) {
        guard let status = FileStatus(descriptor: descriptor) else { return }
        try secure(path, status: status)
        if status.isOwn, status.mode & 0o600 != 0o600 { fchmod(descriptor, 0o600) }
    }

    private static func secure(_ path: String, status: FileStatus) throws(RecorderError) {
        if let wrong = FileRights.problem(ofFile: path, status) ?? FileRights.makePrivate(path, status: status) {
            throw .storage("The record file \(wrong.message)", nil)
        }
    }

    /// Opens a file that processes lock, and creates it if there is none. The caller closes it by `OwnDescriptors`.
    static func openLockFile(at path: String) throws(RecorderError) -> Int32 {
        OwnDescriptors.occupyStandard()
        let file = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let number = errno
            // Its kind or its owner may be the cause.
            if let status = FileStatus(path: path) { try secure(path, status: status) }
            let advice = StorageErrorMapping.advice(
                for: number,
                otherwise: "Make its directory writable for this user, or set AWS_KINESIS_RECORDER_DIR elsewhere."
            )
            throw .storage("The lock file \(path) cannot be opened: \(advice)", nil)
        }
        do throws(RecorderError) {
            OwnDescriptors.note(file)
            try secure(path, descriptor: file)
            return file
        } catch {
            OwnDescriptors.close(file)
            throw error
        }
    }
}

/// Identifies the file at a path. Another file that replaces it has another identity.
struct FileIdentity: Sendable, Hashable, CustomStringConvertible {
    private let device: dev_t
    /// Without the device, whose number may be another one after a restart of the machine.
    let inode: ino_t

    var description: String { "\(device):\(inode)" }

    /// nil if there is no file.
    init?(_ path: String) {
        var status = stat()
        // Called at each commit; passing the string directly would copy it first.
        guard unsafe path.withCString({ unsafe stat($0, &status) }) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }

    /// nil if there is no such descriptor.
    init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }
}
