import Foundation

/// A built program of this package, next to the test bundle, or another one that a test runs.
package enum BuiltProgram {
    /// The end of a run.
    package struct Ran: Sendable {
        /// The exit status; the number of the signal if one ended the program.
        package let status: Int32
        package let endedBySignal: Bool
        package let out: String
        package let err: String
    }

    /// The directory of the test bundle, which also holds the built programs and the directory `Modules`.
    package static let directory: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let places = ([own] + CommandLine.arguments).map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        return places.first { FileManager.default.fileExists(atPath: "\($0)/Modules") } ?? places[0]
    }()

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - name: its name, or the path of a program that is not of this package.
    ///   - arguments: without the name.
    ///   - environment: added to the environment of this process.
    /// - Returns: how it ended, and what it printed.
    /// - Throws: an error of Foundation when the program cannot be started.
    package static func run(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> Ran {
        let files = try TemporaryDirectory()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: name.hasPrefix("/") ? name : "\(directory)/\(name)")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = try file(files.path("out"))
        process.standardError = try file(files.path("err"))
        await (try ProcessEnd(starting: process)).finished()
        return Ran(
            status: process.terminationStatus,
            endedBySignal: process.terminationReason == .uncaughtSignal,
            out: try String(contentsOfFile: files.path("out"), encoding: .utf8),
            err: try String(contentsOfFile: files.path("err"), encoding: .utf8)
        )
    }

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(fileURLWithPath: path))
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }
}
