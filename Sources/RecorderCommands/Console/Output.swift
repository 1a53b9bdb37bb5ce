import Foundation

/// Bytes to a descriptor of somebody else's choice: a file, a terminal, a pipe that may not block.
enum Output {
    /// Writes all of `text`, however long its reader takes. Returns the error's number where that cannot be.
    @discardableResult
    static func write(_ text: String, to file: Int32) -> Int32? {
        var rest = Array(text.utf8)[...]
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

    /// Returns when the descriptor takes more, or has an error, which the next write tells.
    private static func wait(for file: Int32) {
        var waited = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&waited, 1, -1)
    }

    /// Some file systems tell only when a file is closed that what it was given has no room.
    static func errorOfClosing(_ file: Int32) -> Int32? {
        let copy = dup(file)
        guard copy >= 0, close(copy) != 0, errno != EINTR else { return nil }
        return errno
    }

    /// Makes descriptors 0 to 2 that were closed at the start fail as closed ones do. Otherwise the next file that is
    /// opened gets such a number, a store's for example, and what is printed goes there.
    static func occupyStandardDescriptors() {
        for (file, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
            guard fcntl(file, F_GETFD) < 0 else { continue }
            // The lowest free number is this one, as those below it are open.
            _ = unsafe open("/dev/null", mode)
        }
    }
}
