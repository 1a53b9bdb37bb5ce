import RecorderAWS

/// Text fit for a terminal: what moves a cursor, sets a title or turns the direction of writing is printed as its number.
enum Visible {
    /// One line, ends of lines escaped too: for names and messages of others.
    static func line(_ text: String) -> String {
        Legible.text(text, limit: .max)
    }

    /// Lines of our own.
    static func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map {
                $0.split(separator: "\t", omittingEmptySubsequences: false).map { line(String($0)) }.joined(
                    separator: "\t"
                )
            }
            .joined(separator: "\n")
    }

    /// JSON that says the same. What the encoder leaves as it is stands in strings only.
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
