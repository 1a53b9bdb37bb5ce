import Foundation

/// The checkout that this test was built from.
package enum Repository {
    /// Its root directory.
    package static let path =
        URL(fileURLWithPath: #filePath)  // Tests/Support/RecorderTestSupport/SwiftCheck.swift
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
}

/// Type-checks Swift sources with the modules of this build, without generating code.
package enum SwiftCheck {
    /// Runs the compiler on these files together.
    ///
    /// - Parameters:
    ///   - sources: the paths of the files.
    ///   - mode: the language mode, such as `5`.
    ///   - seesModules: whether the sources can import this package's modules.
    ///   - options: further options of the compiler.
    /// - Returns: how it ended, and what it printed.
    /// - Throws: errors of files and processes.
    package static func run(
        _ sources: [String],
        mode: String,
        seesModules: Bool = true,
        options: [String] = []
    ) async throws -> BuiltProgram.Ran {
        let search = seesModules ? try ["\(BuiltProgram.directory)/Modules"] + moduleMaps() : []
        let arguments = ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", mode] + options
        return try await BuiltProgram.run("/usr/bin/env", arguments + search.flatMap { ["-I", $0] } + sources)
    }

    /// What the compiler says about these files; empty if it says nothing.
    package static func diagnostics(of sources: [String], mode: String) async throws -> String {
        let compiler = try await run(sources, mode: mode)
        return compiler.err.isEmpty && compiler.status != 0 ? "status \(compiler.status)" : compiler.err
    }

    /// What the compiler says about a source; empty if it says nothing.
    package static func diagnostics(ofText program: String, mode: String) async throws -> String {
        let directory = try TemporaryDirectory()
        let source = directory.path("Program.swift")
        try Data(program.utf8).write(to: URL(fileURLWithPath: source))
        return try await diagnostics(of: [source], mode: mode)
    }

    /// The directories of the C libraries' module maps.
    private static func moduleMaps() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(Repository.path)/Sources")
            .filter { $0.hasPrefix("CRecorder") }.map { "\(Repository.path)/Sources/\($0)" }
    }
}
