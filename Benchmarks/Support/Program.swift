import Foundation

/// Other programs, and this one once more: what a measurement starts.
enum Program {
    /// This program's own file.
    static var ourselves: String { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path }

    /// Where the package lies; the programs beside our sources are found from here.
    static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// The Python that `make setup` made, or the one that the environment names.
    static var python: String {
        let path = ProcessInfo.processInfo.environment["RECORDER_TEST_PYTHON"] ?? "\(package)/.venv/bin/python"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            print("There is no \(path), which the peers run in: run `make setup` first.")
            exit(2)
        }
        return path
    }

    /// Starts a program that is looked for on the path unless it is one, with some more environment.
    static func start(
        _ arguments: [String],
        _ environment: [String: String] = [:],
        input: Pipe? = nil,
        output: Pipe,
        errors: Pipe? = nil
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let input { process.standardInput = input }
        process.standardOutput = output
        if let errors { process.standardError = errors }
        try process.run()
        return process
    }

    /// Runs a program to its end and gives what it printed.
    @discardableResult
    static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> String {
        let (output, errors) = (Pipe(), Pipe())
        let process = try start(arguments, environment, output: output, errors: errors)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            fatalError("\(arguments.joined(separator: " ")) ended with \(process.terminationStatus): \(errorText)")
        }
        return text
    }
}
