import CRecorderThread
import Glibc

/// Writes to a descriptor that the program was started with: a file, a terminal, or a pipe that may be non-blocking.
enum Output {
    /// Writes all of `text`, waiting for a slow reader. Returns the number of the error that ended it, or nil.
    @discardableResult
    static func write(_ text: String, to file: Int32) -> Int32? {
        write(Array(text.utf8), to: file)
    }

    /// The same for bytes.
    static func write(_ bytes: [UInt8], to file: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
                continue
            }
            switch written < 0 ? errno : EIO {
            case EINTR: break
            case EAGAIN: wait(for: file)
            case let error: return error
            }
        }
        return nil
    }

    /// Returns when the descriptor takes more, or has an error, which the next write returns.
    private static func wait(for file: Int32) {
        var waited = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&waited, 1, -1)
    }

    /// Some file systems report a full disk only when the file is closed.
    static func errorOfClosing(_ file: Int32) -> Int32? {
        let copy = fcntl(file, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, close(copy) != 0, errno != EINTR else { return nil }
        return errno
    }
}

/// Settings of the process, made before anything else runs.
package enum ProcessSetup {
    /// How many threads a run may need: ours, and a few of Swift's pool.
    package static func threads(on processors: Int = sysconf(Int32(_SC_NPROCESSORS_ONLN))) -> Int {
        min(processors, 4) + 12
    }

    /// A core dump holds all memory, with keys and records in it. A crash of this process, or of one it starts, leaves none.
    static func disableCoreDumps() {
        let cores = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(cores, &limit) == 0 else { return }
        limit.rlim_cur = 0
        _ = unsafe setrlimit(cores, &limit)
    }

    /// By default malloc keeps memory for each thread, which the others do not use when that thread has freed it. The program's
    /// threads hand records on to each other, and wait little for the one arena.
    static func useOneArena() {
        // M_ARENA_MAX: https://man7.org/linux/man-pages/man3/mallopt.3.html
        _ = mallopt(-8, 1)
    }

    /// By default malloc returns freed memory to the system at once, and a follower, which reads its files once a second, gets
    /// other pages for the next reading. That is a twentieth of its processor time.
    static func keepFreedMemory() {
        // M_TRIM_THRESHOLD, and M_MMAP_THRESHOLD, which would no longer be adjusted.
        _ = mallopt(-1, 2 * 1_024 * 1_024)
        _ = mallopt(-3, 1_024 * 1_024)
    }
}
