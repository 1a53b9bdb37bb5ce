import Foundation
import RecorderTestSupport

/// Checks Swift sources against the built modules of this package, without generating code.
enum SwiftCompiler {
    /// What the compiler said about a source.
    struct Diagnostics {
        var errors: [String] = []
        var warnings: [String] = []
    }

    /// What the compiler says about each source, by its name.
    static func diagnostics(of sources: [CompilerCase.Source]) async throws -> [String: Diagnostics] {
        let groups = Dictionary(grouping: sources, by: \.group)
        return try await withThrowingTaskGroup(of: [String: Diagnostics].self) { running in
            for (group, sources) in groups {
                running.addTask { try await diagnostics(of: sources, group: group) }
            }
            // No source is in two groups.
            return try await running.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
    }

    private static func diagnostics(
        of sources: [CompilerCase.Source],
        group: CompilerCase.SourceGroup
    ) async throws -> [String: Diagnostics] {
        let directory = try TemporaryDirectory()
        for source in sources {
            try Data(source.code.utf8).write(to: URL(fileURLWithPath: directory.path("\(source.name).swift")))
        }
        let files = sources.map { directory.path("\($0.name).swift") }
        let compiler = try await SwiftCheck.run(
            files,
            mode: group.language,
            seesModules: group.seesModules,
            options: ["-wmo", "-diagnostic-style", "llvm", "-no-color-diagnostics"]
        )
        var found: [String: Diagnostics] = [:]
        for line in compiler.err.split(separator: "\n") {
            // FILE.swift:LINE:COLUMN: error: MESSAGE
            guard let match = line.firstMatch(of: /(\w+)\.swift:\d+:\d+: (error|warning): (.*)/) else { continue }
            let kind = match.2 == "error" ? \Diagnostics.errors : \Diagnostics.warnings
            found[String(match.1), default: Diagnostics()][keyPath: kind].append(String(match.3))
        }
        let hasErrors = found.values.contains { !$0.errors.isEmpty }
        guard hasErrors == (compiler.status != 0) else { throw CompilerFailure(output: compiler.err) }
        return found
    }

    /// The compiler failed without an error in a source.
    struct CompilerFailure: Error {
        let output: String
    }
}
