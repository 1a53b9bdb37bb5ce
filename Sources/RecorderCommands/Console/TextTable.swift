import Foundation

/// Columns for people.
enum TextTable {
    /// Rows of cells, the first column to the left, the others to the right; no blanks at line ends.
    static func text(_ rows: [[String]]) -> String {
        let rows = rows.map { $0.map { Visible.line($0) } }
        let columns = rows.first?.count ?? 0
        let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).enumerated().map { index, cell in
                let blanks = String(repeating: " ", count: cell.1 - cell.0.count)
                return index == 0 ? cell.0 + blanks : blanks + cell.0
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

/// JSON for scripts.
enum JSONText {
    static func text(of value: some Encodable) throws(CommandFailure) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw CommandFailure(.storage, "the answer cannot be written as JSON: \(error)")
        }
    }
}
