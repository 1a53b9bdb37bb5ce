import Foundation
import RecorderTestSupport

/// The tables of a section of MIGRATION.md.
struct MigrationTable {
    /// The first cell of each row, below the headers.
    let firstCells: [String]

    /// The tables below this heading, up to the next one of its level.
    init(below heading: String) throws {
        let document = try String(contentsOfFile: "\(Repository.path)/MIGRATION.md", encoding: .utf8)
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        let section = lines.drop { $0 != "### \(heading)" }.dropFirst().prefix { !$0.hasPrefix("### ") }
        let tables = section.split { !$0.hasPrefix("|") }
        firstCells = tables.flatMap { $0.dropFirst(2) }.map { row in
            row.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)
        }
    }
}

/// A message with `...` for any text.
struct MessagePattern {
    private let parts: [String]

    init(_ pattern: String) {
        parts = pattern.components(separatedBy: "...")
    }

    /// Whether the text contains the parts of the pattern, in their order.
    func isFound(in text: some StringProtocol) -> Bool {
        var rest = Substring(text)
        for part in parts where !part.isEmpty {
            guard let found = rest.range(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}

extension StringProtocol {
    /// The texts between pairs of backticks.
    var codeSpans: [String] {
        split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
            String($0.element)
        }
    }
}
