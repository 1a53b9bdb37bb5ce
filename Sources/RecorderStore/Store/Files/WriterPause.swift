import Glibc
import RecorderAWS
import RecorderConcurrency

/// Keeps other processes from writing a store while it is read without SQLite's locks. Changes no file.
struct WriterPause {
    /// nil if there is no lock file, as in a copy.
    private let file: Int32?

    /// Waits for a writer's commit, at most for `timeout`.
    init(of database: String, timeout: Duration) throws(RecorderError) {
        let path = "\(database).lock"
        let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            self.file = nil
            return
        }
        self.file = file
        let end = SystemTime.now + timeout
        while flock(file, LOCK_SH | LOCK_NB) != 0 {
            // A file system without locks has no other process that could hold one.
            guard errno == EWOULDBLOCK else { return }
            guard SystemTime.now < end else {
                _ = close(file)
                throw .storage("Another process holds \(path). Try again later, or stop it.", nil)
            }
            SystemTime.block(for: .milliseconds(5))
        }
    }

    func end() {
        if let file { _ = close(file) }
    }
}
