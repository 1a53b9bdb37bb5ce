import Foundation
import RecorderConcurrency

/// An `flock` on a file beside the database. The death of its holder releases it, however it dies.
///
/// One guards every write and checkpoint: SQLite before 3.51.3 can damage a write-ahead log that two connections
/// write or checkpoint at the same instant. A second one is the lease of the process that submits.
///
/// A lock on a file that was removed or replaced keeps out no other process, so the file at the path must be the one that is
/// locked.
final class StoreLock: Sendable {
    let path: String
    private let file = Locked<OpenFile?>(nil)

    private struct OpenFile {
        let descriptor: Int32
        let identity: FileIdentity?
        var isHeld = false
    }

    /// How often a file that is taken away as soon as it is locked is opened again.
    private static let maximumOpens = 100

    init(path: String) {
        self.path = path
    }

    deinit {
        file.withLock { Self.close(&$0) }
    }

    /// Takes the lock if no other process or store holds it.
    func tryLock() throws(RecorderError) -> Bool {
        try file.withLock { (file) throws(RecorderError) in
            for _ in 0..<Self.maximumOpens {
                let open = if let file { file } else { try open() }
                file = open
                guard flock(open.descriptor, LOCK_EX | LOCK_NB) == 0 else {
                    // The one that holds it may hold a file that is gone.
                    if open.identity != FileIdentity(path) { Self.close(&file) }
                    return false
                }
                file?.isHeld = true
                if isEffective(file) { return true }
                Self.close(&file)
            }
            throw .storage("\(path) is removed as often as it is made. Stop whatever removes it.", nil)
        }
    }

    /// Blocks until the lock is ours, at most until `deadline`; after that it is tried once.
    func lock(until deadline: ContinuousClock.Instant) throws(RecorderError) {
        if try tryLock() { return }
        let start = ContinuousClock.now
        var pause: UInt32 = 200
        repeat {
            let now = ContinuousClock.now
            guard now < deadline else {
                let waited = max(deadline - start, .zero)
                throw .storage("Another process holds \(path), for more than \(waited). Stop it or wait for it.", nil)
            }
            // Writers hold the lock for one commit, well under a millisecond each.
            usleep(min(pause, UInt32((deadline - now) / .microseconds(1)) + 1))
            pause = min(pause * 2, 5_000)
        } while try !tryLock()
    }

    /// A process with many stores keeps the file open only while it holds the lock.
    func unlock() {
        file.withLock { file in
            guard let open = file, open.isHeld else { return }
            // A process that this one forked has the same file open, and would keep the lock.
            flock(open.descriptor, LOCK_UN)
            file?.isHeld = false
            if RecordStore.areMany { Self.close(&file) }
        }
    }

    /// Whether the lock is held and keeps others out: false once its file was removed or replaced.
    var isEffective: Bool {
        file.withLock { isEffective($0) }
    }

    private func isEffective(_ file: OpenFile?) -> Bool {
        guard let file, file.isHeld, let identity = file.identity else { return false }
        return identity == FileIdentity(path)
    }

    private static func close(_ file: inout OpenFile?) {
        if let open = file { _ = Glibc.close(open.descriptor) }
        file = nil
    }

    private func open() throws(RecorderError) -> OpenFile {
        let opened = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            let number = errno
            try StoreFiles.refuse(path)
            let advice = StorageErrorMapping.advice(
                for: number,
                otherwise: "Make its directory writable for this user, or set AWS_KINESIS_RECORDER_DIR elsewhere."
            )
            throw .storage("The lock file \(path) cannot be opened: \(advice)", nil)
        }
        do throws(RecorderError) {
            try StoreFiles.secure(path, descriptor: opened)
            return OpenFile(descriptor: opened, identity: FileIdentity(descriptor: opened))
        } catch {
            _ = Glibc.close(opened)
            throw error
        }
    }

    /// Writes down who holds the lock, for others that wait.
    func sign() {
        let name = Array("\(getpid())\n".utf8)
        file.withLock { file in
            guard let file else { return }
            ftruncate(file.descriptor, 0)
            _ = unsafe name.withUnsafeBytes { unsafe pwrite(file.descriptor, $0.baseAddress, $0.count, 0) }
        }
    }

    /// The process that last signed.
    var holder: String {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.isEmpty ? "unknown" : text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
