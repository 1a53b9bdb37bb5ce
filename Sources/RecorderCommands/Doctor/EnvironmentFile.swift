import RecorderAWS

/// The variables of an `EnvironmentFile=` of systemd, and the lines that systemd leaves out.
///
/// One NAME=VALUE a line, not for a shell: no `export`, no variables. A value may be quoted, a backslash at the end of a line
/// continues it, and lines that begin with # or ; are comments:
/// https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#EnvironmentFile=
package struct EnvironmentFile: Sendable {
    package private(set) var variables: [String: String] = [:]
    /// The numbers of lines that are no assignment, and why. Nothing of a line is quoted, since it may hold a key.
    package private(set) var problems: [(line: Int, reason: String)] = []

    package init(_ text: String) {
        var (logical, first) = ("", 1)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if logical.isEmpty { first = index + 1 }
            if line.hasSuffix("\\"), !Self.isComment(line) {
                logical += line.dropLast()
                continue
            }
            add(logical + line, at: first)
            logical = ""
        }
        add(logical, at: first)
    }

    private static func isComment(_ line: Substring) -> Bool { line.trimmed().first.map { "#;".contains($0) } ?? false }

    private mutating func add(_ text: String, at number: Int) {
        let line = text.trimmed()
        guard !line.isEmpty, !Self.isComment(line) else { return }
        guard let equals = line.firstIndex(of: "=") else {
            problems.append((number, "it has no ="))
            return
        }
        let name = String(line[..<equals].trimmed())
        guard Self.isName(name) else {
            let isExport = name.hasPrefix("export ")
            problems.append((number, isExport ? "leave out \"export\"" : "what is before = is no name of a variable"))
            return
        }
        variables[name] = Self.value(line[line.index(after: equals)...].trimmed())
    }

    private static func isName(_ text: String) -> Bool {
        let isWord = text.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || byte < 128 && (Character(UnicodeScalar(byte)).isLetter || isDigit(byte))
        }
        return isWord && text.utf8.first.map { !isDigit($0) } == true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Without its quotes.
    private static func value(_ text: Substring) -> String {
        guard let quote = text.first, quote == "\"" || quote == "'", text.count > 1, text.last == quote else {
            return String(text)
        }
        return String(text.dropFirst().dropLast())
    }
}
