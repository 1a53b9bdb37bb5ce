import Foundation
import RecorderTestSupport
import Testing

/// What the compiler says about old programs.
@Suite(.disabled(if: isSanitized, "a sanitizer does not change what the compiler says"), .timeLimit(.minutes(5)))
struct WarningTests {
    private static let folder = "\(Repository.path)/Tests/Compatibility"

    private func warnings(in diagnostics: String) -> [Substring] {
        diagnostics.split(separator: "\n").filter { $0.contains(".swift:") && !$0.contains(": note:") }
    }

    @Test(arguments: ["4", "5"])
    func `old programs have no warnings but those of deprecated names`(mode: String) async throws {
        let target = "\(Self.folder)/OldCallersSwift\(mode)"
        let sources = try FileManager.default.contentsOfDirectory(atPath: target).map { "\(target)/\($0)" }
        let found = warnings(in: try await SwiftCheck.diagnostics(of: sources, mode: mode))
        // `as?` is right, and needless since chains keep their type.
        #expect(found.filter { !$0.contains("deprecated") && !$0.contains("always succeeds") } == [])
        #expect(found.count > 0, "the older names are deprecated")
    }

    @Test func `deriving from each open class gives no warning`() async throws {
        let source = "\(Self.folder)/OldCallersSwift5/Subclasses.swift"
        #expect(try await SwiftCheck.diagnostics(of: [source], mode: "5") == "")
    }

    @Test func `a warning is found`() async throws {
        let source = "import AWSCore\nfunc f() { var unused = AWSTask<AnyObject>(result: nil) }\n"
        #expect(warnings(in: try await SwiftCheck.diagnostics(ofText: source, mode: "5")).count == 1)
    }
}
