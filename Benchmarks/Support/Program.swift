import Foundation

/// Starts the programs that a measurement needs: others, or this one again.
enum Program {
    /// This program's own file.
    static var executable: String { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path }

    /// The package's directory, used to find the programs in `Benchmarks/Peers`.
    static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// The Python that `make setup` installs, or the one named by RECORDER_TEST_PYTHON.
    static var python: String {
        let path = ProcessInfo.processInfo.environment["RECORDER_TEST_PYTHON"] ?? "\(package)/.venv/bin/python"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            print("There is no Python at \(path) to run the peers with: run `make setup` first.")
            exit(2)
        }
        return path
    }

    /// Starts a program, given by its path or its name, with additional environment variables. `errors` is a `Pipe` or a
    /// `FileHandle`; nil stands for this program's.
    static func start(
        _ arguments: [String],
        _ environment: [String: String] = [:],
        input: Pipe? = nil,
        output: Pipe? = nil,
        errors: Any? = nil
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let input { process.standardInput = input }
        // A pipe that is not read would stop the program once it is full.
        process.standardOutput = output ?? FileHandle.nullDevice
        if let errors { process.standardError = errors }
        try process.run()
        return process
    }

    /// Compiles a C program of `Benchmarks/Peers` into a directory and returns its path.
    static func compile(_ source: String, in directory: ScratchDirectory, _ libraries: String...) throws -> String {
        let program = directory.path(String(source.prefix { $0 != "." }))
        try run(["cc", "-O2", "-pthread", "-o", program, "\(package)/Benchmarks/Peers/\(source)"] + libraries)
        return program
    }

    /// Runs a program to its end and returns its output.
    @discardableResult
    static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> String {
        try run(arguments, environment: environment)
    }

    /// The same for a list of arguments.
    @discardableResult
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
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
