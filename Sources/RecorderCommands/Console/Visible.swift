import RecorderAWS

/// Text that is safe to print on a terminal. Characters that move the cursor, set a title or change the writing direction
/// are escaped.
enum Visible {
    /// One line, with line ends escaped too: for names and messages that come from outside.
    static func line(_ text: String) -> String {
        text.sanitized(limit: .max)
    }

    /// Lines of the program's own text, which may hold tabs.
    static func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
                return cells.map { Self.line(String($0)) }.joined(separator: "\t")
            }
            .joined(separator: "\n")
    }

    /// The same JSON with such characters as `\u` escapes. The encoder leaves them in strings only.
    static func json(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar == "\n" || scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F {
                result.unicodeScalars.append(scalar)
            } else if line(String(scalar)) == String(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return result
    }
}
