import Glibc

/// Lets one thread wait until another one wakes it.
///
/// A semaphore's timeout is a time of day on Linux: after the clock is set back it would be late by as much.
final class WakeSignal: Sendable {
    private let ends: (read: Int32, write: Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.ends = (ends[0], ends[1])
    }

    deinit {
        _ = close(ends.read)
        _ = close(ends.write)
    }

    /// Ends the current wait, or else the next one.
    func wake() {
        _ = unsafe write(ends.write, "!", 1)
    }

    /// Blocks for `duration`, or until `wake` is called.
    func wait(_ duration: Duration) {
        guard duration > .zero else { return }
        // Rounded up, or the caller's last rounds would spin.
        let milliseconds = min((duration / .milliseconds(1)).rounded(.up), 1e9)
        var waited = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&waited, 1, Int32(milliseconds))
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(ends.read, &bytes, bytes.count) > 0 {}
    }
}
