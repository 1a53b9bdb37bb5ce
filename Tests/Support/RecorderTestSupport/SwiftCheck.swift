import Foundation

/// Type-checks Swift sources with the modules of this build.
package enum SwiftCheck {
    /// The repository's root directory.
    package static let repository =
        URL(fileURLWithPath: #filePath)  // Tests/Support/RecorderTestSupport/SwiftCheck.swift
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// Compiles these sources together, without writing anything.
    ///
    /// - Parameters:
    ///   - sources: the paths of the files.
    ///   - mode: the language mode, such as `5`.
    /// - Returns: what the compiler says; empty if it says nothing.
    /// - Throws: `MotoFailure` when this build's modules are not found, and errors of files and processes.
    package static func diagnostics(of sources: [String], mode: String) async throws -> String {
        let output = try TemporaryDirectory()
        let path = output.path("diagnostics")
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let directories = try [modules()] + moduleMaps()
        process.arguments =
            ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", mode] + directories.flatMap { ["-I", $0] }
            + sources
        process.standardOutput = file
        process.standardError = file
        await (try ProcessEnd(starting: process)).finished()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.isEmpty && process.terminationStatus != 0 ? "status \(process.terminationStatus)" : text
    }

    /// The modules of this build, next to the test bundle.
    private static func modules() throws -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folders = ([own] + CommandLine.arguments).map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().path + "/Modules"
        }
        let found = folders.first { FileManager.default.fileExists(atPath: "\($0)/AWSCore.swiftmodule") }
        guard let found else { throw MotoFailure("there are no modules next to the test bundle") }
        return found
    }

    /// The directories of the C libraries' module maps.
    private static func moduleMaps() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(repository)/Sources")
            .filter { $0.hasPrefix("CRecorder") }.map { "\(repository)/Sources/\($0)" }
    }
}
