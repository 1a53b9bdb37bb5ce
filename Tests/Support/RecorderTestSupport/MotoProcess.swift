import Foundation

/// The child process behind `MotoServer` and `CheckedServer`. It runs exactly as long as its standard input is open, so
/// it exits with this process, however this process ends.
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
        // Another child of this process must not keep the pipe open after this process has ended.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        end = try ProcessEnd(starting: process)
    }

    deinit {
        closeInput()
    }

    /// The first line that the process prints; waits for it. Empty when the process ends without one.
    func firstLine() async throws -> String {
        let line = await onDedicatedThread { [output] in
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

    /// Ends the process and returns once it has exited.
    func stop() async {
        closeInput()
        await end.finished()
    }

    /// Ends the process. A signal might not: a child inherits the signals that threads of Swift's pool block.
    private func closeInput() {
        // If this fails, it was closed before.
        try? input.fileHandleForWriting.close()
    }
}
