import Foundation

/// An `flock` on a file beside the database. A process that dies gives it back, however it dies.
///
/// One guards every write and checkpoint: SQLite before 3.51.3 can damage a write-ahead log that two connections
/// write or checkpoint at the same instant. A second one is the lease of whoever submits.
final class StoreLock: Sendable {
    private let file: Int32
    private let path: String

    init(path: String) throws(RecorderError) {
        self.path = path
        file = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let number = errno
            try StoreFiles.refuse(path)
            let advice = StoreTrouble.advice(
                for: number,
                otherwise: "Make its directory writable for this user, or set AWS_KINESIS_RECORDER_DIR elsewhere."
            )
            throw .storage("The lock file \(path) cannot be opened: \(advice)", nil)
        }
        try StoreFiles.secure(path, descriptor: file)
    }

    deinit {
        close(file)
    }

    /// Takes the lock if nobody holds it.
    func tryLock() -> Bool {
        flock(file, LOCK_EX | LOCK_NB) == 0
    }

    /// Blocks until the lock is ours, at most until `deadline`; after that it is tried once.
    func lock(until deadline: ContinuousClock.Instant) throws(RecorderError) {
        if tryLock() { return }
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
        } while !tryLock()
    }

    func unlock() {
        flock(file, LOCK_UN)
    }

    /// Writes down who holds the lock, for whoever waits.
    func sign() {
        let name = Array("\(getpid())\n".utf8)
        ftruncate(file, 0)
        _ = unsafe name.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    }

    /// The process that last signed.
    var holder: String {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.isEmpty ? "unknown" : text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
