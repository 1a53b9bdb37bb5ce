import RecorderTestSupport
import Testing

/// The table of compiler errors in MIGRATION.md, with the sources in CompilerErrors.md.
@Suite(.disabled(if: isSanitized, "a sanitizer does not change what the compiler says"), .timeLimit(.minutes(5)))
struct CompilerErrorTests {
    @Test func `each row of the table is provoked by sources, in the same order`() throws {
        let rows = try MigrationTable(below: "Compiler errors").firstCells
        #expect(try CompilerCase.all().map(\.heading) == rows)
        #expect(rows.allSatisfy { !$0.codeSpans.isEmpty })
    }

    @Test func `the compiler reports the messages of the row for the code before, and no other error`() async throws {
        let cases = try CompilerCase.all()
        let diagnostics = try await SwiftCompiler.diagnostics(of: cases.flatMap(\.before))
        for row in cases {
            let found = row.before.compactMap { diagnostics[$0.name] }
            let errors = found.flatMap(\.errors)
            let all = errors + found.flatMap(\.warnings)
            let patterns = row.messages.map(MessagePattern.init)
            for (message, pattern) in zip(row.messages, patterns) {
                #expect(all.contains { pattern.isFound(in: $0) }, "not reported: \(message)")
            }
            let others = errors.filter { error in !patterns.contains { $0.isFound(in: error) } }
            #expect(others.isEmpty, "\(row.heading)")
        }
    }

    @Test func `the code after has no errors`() async throws {
        let cases = try CompilerCase.all()
        let diagnostics = try await SwiftCompiler.diagnostics(of: cases.flatMap(\.after))
        for row in cases {
            let errors = row.after.flatMap { diagnostics[$0.name]?.errors ?? [] }
            #expect(errors.isEmpty, "\(row.heading)")
            #expect(!row.after.isEmpty, "\(row.heading)")
        }
    }
}
