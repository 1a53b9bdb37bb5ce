import Foundation
import RecorderTestSupport

/// A table of MIGRATION.md.
struct MigrationTable {
    /// The first cell of each row, below the header.
    let firstCells: [String]

    /// The first table below this heading.
    init(below heading: String) throws {
        let document = try String(contentsOfFile: "\(Repository.path)/MIGRATION.md", encoding: .utf8)
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        let section = lines.drop { $0 != "### \(heading)" }
        let table = section.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        firstCells = table.dropFirst(2).map { row in
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
