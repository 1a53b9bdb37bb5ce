import FoundationEssentials

/// Rows and columns as text.
enum TextTable {
    /// The first column is aligned left, the others right.
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

extension TextTable {
    /// The same with one more column, which is printed as it is.
    static func text(_ rows: [[String]], lastColumn: [String]) -> String {
        let lines = text(rows).split(separator: "\n", omittingEmptySubsequences: false)
        return zip(lines, lastColumn).map { "\($0)  \($1)" }.joined(separator: "\n")
    }
}

/// A value as JSON, for scripts.
enum JSONText {
    static func text(of value: some Encodable) throws(CommandFailure) -> String {
        try text(of: value, formatting: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }

    /// The same in one line.
    static func line(of value: some Encodable) throws(CommandFailure) -> String {
        try text(of: value, formatting: [.sortedKeys, .withoutEscapingSlashes])
    }

    private static func text(
        of value: some Encodable,
        formatting: JSONEncoder.OutputFormatting
    ) throws(CommandFailure) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw CommandFailure(.storage, message: "the result cannot be written as JSON: \(error)")
        }
    }
}
