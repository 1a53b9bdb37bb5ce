import Foundation

/// Standard input or a file, chunk by chunk, until its end or a signal.
final class InputReader {
    private let file: Int32
    private let path: String
    private let stop: StopSignal
    private var buffer = [UInt8](repeating: 0, count: 256 * 1_024)
    /// After a signal: what the pipe held then, and nobody else would ever read.
    private var rest: Int?

    /// Opens `path`; nil is standard input.
    init(_ path: String?, stop: StopSignal) throws(CommandFailure) {
        self.path = path ?? "standard input"
        self.stop = stop
        file = path.map { unsafe open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
        guard file >= 0 else {
            throw CommandFailure(.noInput, "\(self.path) cannot be read: \(Files.problem(errno)).")
        }
    }

    deinit {
        if file != STDIN_FILENO { _ = close(file) }
    }

    /// The next bytes; nil at the end, or when a signal came and what waited in the pipe is read.
    func next() throws(CommandFailure) -> [UInt8]? {
        while true {
            let wanted = waitForInput()
            guard wanted > 0 else { return nil }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, wanted) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else {
                throw CommandFailure(.noInput, "\(path) cannot be read: \(Files.problem(errno)).")
            }
            rest? -= count
            return count == 0 ? nil : Array(buffer[..<count])
        }
    }

    /// Blocks until there is something to read; how much of it may be.
    private func waitForInput() -> Int {
        if let rest { return min(rest, buffer.count) }
        var waited = [
            pollfd(fd: file, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&waited, 2, -1) < 0, errno == EINTR {}
        guard waited[1].revents != 0 else { return buffer.count }
        let waiting = waitingInPipe
        rest = waiting
        return min(waiting, buffer.count)
    }

    private var waitingInPipe: Int {
        var status = stat()
        guard unsafe fstat(file, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return 0 }
        var count: Int32 = 0
        return unsafe ioctl(file, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }
}
