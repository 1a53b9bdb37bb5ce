extension String {
    /// The text on one line: control and format characters are escaped, and it is cut to at most `limit` bytes of UTF-8.
    ///
    /// For text from outside that goes into a log line or a message.
    package func sanitized(limit: Int = 512) -> String {
        var result = ""
        for scalar in unicodeScalars {
            let piece = scalar.isVisible ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            guard result.utf8.count + piece.utf8.count <= limit else { break }
            result += piece
        }
        return result
    }
}

extension StringProtocol {
    /// The text without white space and line ends at both ends.
    package func trimmed() -> SubSequence {
        let start = drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { self[start.startIndex...$0] } ?? start
    }
}

extension Unicode.Scalar {
    fileprivate var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
