import Glibc
import RecorderAWS

/// Reads standard input or a file, chunk by chunk, to its end or until a signal.
final class InputReader {
    private let file: Int32
    private let path: String
    private let stop: StopSignal
    private var buffer = [UInt8](repeating: 0, count: 256 * 1_024)
    /// After a signal: how many bytes of what the pipe held then are still to be read. No other process would read them.
    private var rest: Int?

    /// Opens `path`; nil is standard input.
    init(_ path: String?, stop: StopSignal) throws(CommandFailure) {
        self.path = path ?? "standard input"
        self.stop = stop
        // Non-blocking, or open() would wait for the writer of a FIFO. poll() waits for it, and a signal ends that.
        file = path.map { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) } ?? STDIN_FILENO
        guard file >= 0 else { throw unreadable() }
    }

    /// Whether what was not read is still there.
    var isRegularFile: Bool {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether a part of a file was not read, and is still there.
    var hasRest: Bool {
        var status = stat()
        guard isRegularFile, unsafe fstat(file, &status) == 0 else { return false }
        return lseek(file, 0, SEEK_CUR) < status.st_size
    }

    /// Continues at `byte` of a file, which must be the first byte of a record.
    func seek(to byte: Int, after delimiter: UInt8?) throws(CommandFailure) {
        guard isRegularFile else {
            throw CommandFailure(.usage, message: "--from-byte \(byte): \(path) is not a regular file.")
        }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw unreadable() }
        guard byte <= status.st_size else {
            throw CommandFailure(.usage, message: "--from-byte \(byte): \(path) has only \(status.st_size) bytes.")
        }
        if byte > 0, byte < status.st_size {
            var last: UInt8 = 0
            guard unsafe pread(file, &last, 1, byte - 1) == 1 else { throw unreadable() }
            guard last == delimiter else {
                throw CommandFailure(
                    .usage,
                    message:
                        "--from-byte \(byte): that is in the middle of a record of \(path). Give the byte named by the "
                        + "previous save, and the same --delimiter."
                )
            }
        }
        guard lseek(file, byte, SEEK_SET) == byte else { throw unreadable() }
    }

    private func unreadable() -> CommandFailure {
        CommandFailure(.noInput, message: "\(path) cannot be read: \(String(errorNumber: errno)).")
    }

    deinit {
        if file != STDIN_FILENO { _ = close(file) }
    }

    /// The next bytes. nil at the end of the input, and after a signal once what the pipe held is read. None if `timeout` passed
    /// without input.
    func next(within timeout: Duration? = nil) throws(CommandFailure) -> [UInt8]? {
        while true {
            guard let wanted = waitForInput(timeout) else { return [] }
            guard wanted > 0 else { return nil }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, wanted) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw unreadable() }
            rest? -= count
            return count == 0 ? nil : Array(buffer[..<count])
        }
    }

    /// Blocks until there is something to read. Returns how many bytes to read at most; nil if `timeout` passed.
    private func waitForInput(_ timeout: Duration?) -> Int? {
        if let rest { return min(rest, buffer.count) }
        var waited = [
            pollfd(fd: file, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = timeout.map { Int32(($0 / .milliseconds(1)).rounded(.up)) } ?? -1
        var ready = unsafe poll(&waited, 2, milliseconds)
        while ready < 0, errno == EINTR { ready = unsafe poll(&waited, 2, milliseconds) }
        if ready == 0 { return nil }
        guard waited[1].revents != 0 else { return buffer.count }
        let bytes = bytesInPipe
        rest = bytes
        return min(bytes, buffer.count)
    }

    private var bytesInPipe: Int {
        var status = stat()
        guard unsafe fstat(file, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return 0 }
        var count: Int32 = 0
        return unsafe ioctl(file, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }
}
