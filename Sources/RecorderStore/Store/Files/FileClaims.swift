import Glibc
import RecorderAWS
import RecorderConcurrency

/// Which followed files this process reads: no other one reads them into the same store meanwhile.
///
/// A claim is a lock on one byte of a file beside the database. Neighboring ones are one lock to the system, which looks through
/// all of them for each new one. It ends when its process dies, however that happens. The lock belongs to the open file (an OFD
/// lock, https://man7.org/linux/man-pages/man2/F_GETLK.2const.html), not to the process, whose other users of the file would
/// release it.
package final class FileClaims: Sendable {
    private struct State {
        var descriptor: Int32?
        var claimed: Set<Int64> = []
    }

    private let path: @Sendable () throws(RecorderError) -> String
    private let state = Locked(State())

    /// The C library hides this command behind _GNU_SOURCE.
    private static let setLock: Int32 = 37

    package init(at path: @escaping @Sendable () throws(RecorderError) -> String) {
        self.path = path
    }

    deinit {
        state.withLock { if let file = $0.descriptor { OwnDescriptors.close(file) } }
    }

    /// Claims the file with a number, which is not negative, for this process; false if it is claimed already, here or by another
    /// process.
    package func claim(_ number: Int64) throws(RecorderError) -> Bool {
        try state.withLock { (state) throws(RecorderError) in
            guard !state.claimed.contains(number) else { return false }
            let file = if let open = state.descriptor { open } else { try StoreFiles.openLockFile(at: try path()) }
            state.descriptor = file
            switch Self.set(F_WRLCK, at: number, in: file) {
            case 0:
                state.claimed.insert(number)
                return true
            case EAGAIN, EACCES: return false
            case let error:
                let reason = StorageErrorMapping.lockMessage(error, path: try path())
                throw .storage("Files cannot be followed: \(reason)", nil)
            }
        }
    }

    package func release(_ number: Int64) {
        state.withLock { state in
            guard state.claimed.remove(number) != nil, let file = state.descriptor else { return }
            _ = Self.set(F_UNLCK, at: number, in: file)
        }
    }

    /// Returns the number of an error; 0 if there is none.
    private static func set(_ type: Int32, at byte: Int64, in file: Int32) -> Int32 {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(byte)
        lock.l_len = 1
        return unsafe fcntl(file, setLock, &lock) == 0 ? 0 : errno
    }
}
