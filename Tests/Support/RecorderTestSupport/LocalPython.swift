package import Foundation

/// The Python that `make setup` prepares, and the scripts of `Tests/Support/LocalService` that it runs.
package enum LocalPython {
    /// The interpreter named by RECORDER_TEST_PYTHON, or else the one of `make setup`.
    static func interpreter() throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let path = environment["RECORDER_TEST_PYTHON"] ?? repository + "/.venv/bin/python"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw MotoFailure("no Python at \(path). Run the tests with `make test`, which installs it.")
        }
        return path
    }

    /// The path of a script in `Tests/Support/LocalService`.
    static func path(of script: String) -> String {
        "\(repository)/Tests/Support/LocalService/\(script)"
    }

    /// Runs a script to its end and returns what it printed.
    ///
    /// - Parameters:
    ///   - script: the file's name in `Tests/Support/LocalService`.
    ///   - input: the script's standard input.
    /// - Returns: its standard output.
    /// - Throws: `MotoFailure` when there is no Python or the script fails; standard error says why.
    package static func run(_ script: String, input: Data) async throws -> Data {
        let directory = try TemporaryDirectory()
        let inputPath = directory.path("input")
        try input.write(to: URL(fileURLWithPath: inputPath))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try interpreter())
        process.arguments = [path(of: script)]
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: inputPath))
        let output = Pipe()
        process.standardOutput = output
        let end = try ProcessEnd(starting: process)
        let printed = await onDedicatedThread { Result { try output.fileHandleForReading.readToEnd() } }
        await end.finished()
        guard process.terminationStatus == 0, let data = try printed.get() else {
            throw MotoFailure("\(script) ended with status \(process.terminationStatus)")
        }
        return data
    }

    private static var repository: String {
        URL(fileURLWithPath: #filePath)  // Tests/Support/RecorderTestSupport/LocalPython.swift
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
    }
}

/// Runs work that blocks, or takes long, on its own thread: Swift's pool has one thread per processor, and all tests
/// share it.
package func onDedicatedThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(returning: work())
        }
    }
}
