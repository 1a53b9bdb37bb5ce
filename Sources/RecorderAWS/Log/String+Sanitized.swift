/// Foreign text made fit for a log line: short, on one line, nothing invisible.
package enum Legible {
    /// The text with control and format characters escaped, cut to at most `limit` bytes of UTF-8.
    package static func text(_ foreign: String, limit: Int = 512) -> String {
        var result = ""
        for scalar in foreign.unicodeScalars {
            let piece = isVisible(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            guard result.utf8.count + piece.utf8.count <= limit else { break }
            result += piece
        }
        return result
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
