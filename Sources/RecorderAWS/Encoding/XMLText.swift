/// Reads the flat XML documents that some AWS services still answer with, by searching the text.
///
/// Safe on any input: no entity is expanded, nothing is parsed recursively, and the cost is one pass.
enum XMLText {
    /// The raw text between the first `<name>`, with or without attributes, and the next `</name>`.
    static func element(_ name: String, in xml: some StringProtocol) -> String? {
        guard let start = opening(name, in: Substring(xml)) else { return nil }
        guard let end = xml[start...].firstRange(of: "</\(name)>") else { return nil }
        return String(xml[start..<end.lowerBound])
    }

    /// The text with its escapes replaced: the five named entities and numeric character references.
    static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var result = ""
        var rest = Substring(text)
        while let ampersand = rest.firstIndex(of: "&") {
            result += rest[..<ampersand]
            rest = rest[ampersand...]
            // No escape is longer than &#x10FFFF;
            if let end = rest.prefix(10).firstIndex(of: ";"), let character = character(rest[..<end].dropFirst()) {
                result.unicodeScalars.append(character)
                rest = rest[rest.index(after: end)...]
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result + rest
    }

    /// The index at which the content of the first such element begins.
    private static func opening(_ name: String, in xml: Substring) -> String.Index? {
        var rest = xml
        while let tag = rest.firstRange(of: "<\(name)") {
            rest = rest[tag.upperBound...]
            guard let next = rest.first, next == ">" || next.isWhitespace else { continue }
            return rest.firstIndex(of: ">").map(rest.index(after:))
        }
        return nil
    }

    private static func character(_ escape: Substring) -> Unicode.Scalar? {
        switch escape {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard escape.first == "#" else { return nil }
        let digits = escape.dropFirst()
        let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init)
    }
}
