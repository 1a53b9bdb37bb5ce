import Foundation

/// The child process behind `MotoServer` and `CheckedServer`. It lives exactly as long as its standard input is open, so it ends
/// with this process however this process ends.
final class MotoProcess: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let end: ProcessEnd

    init(_ script: String = "local_service.py", arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: try LocalPython.interpreter())
        process.arguments = [LocalPython.path(of: script)] + arguments
        process.standardInput = input
        process.standardOutput = output
        // Another child of this process must not hold the pipe open after this process is gone.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        end = try ProcessEnd(starting: process)
    }

    deinit {
        closeInput()
    }

    /// The first line that the process prints; waits for it. Empty when the process ends without one.
    func firstLine() async throws -> String {
        let line = await onThreadOfItsOwn { [output] in
            Result {
                var line = Data()
                while let byte = try output.fileHandleForReading.read(upToCount: 1),
                    !byte.isEmpty, byte != Data("\n".utf8)
                {
                    line += byte
                }
                return line
            }
        }
        return try String(decoding: line.get(), as: UTF8.self)
    }

    /// Ends the process and returns once it is gone.
    func stop() async {
        closeInput()
        await end.come()
    }

    /// Ends the process. A signal might not: a child inherits the signals that threads of Swift's pool block.
    private func closeInput() {
        // Closed before: the process ends or has ended.
        try? input.fileHandleForWriting.close()
    }
}
