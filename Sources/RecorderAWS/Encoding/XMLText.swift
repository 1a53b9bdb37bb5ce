/// The little XML that AWS still speaks: flat documents of plain elements, searched as text.
///
/// Safe on any input: nothing is expanded, nothing nests, the cost is one pass.
enum XMLText {
    /// What stands between the first `<name>`, with or without attributes, and the next `</name>`; as it is written.
    static func element(_ name: String, in xml: some StringProtocol) -> String? {
        guard let start = opening(name, in: Substring(xml)) else { return nil }
        guard let end = xml[start...].firstRange(of: "</\(name)>") else { return nil }
        return String(xml[start..<end.lowerBound])
    }

    /// The text with the five named entities and the numbered characters in place of their escapes.
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

    /// Where the content of the first such element begins.
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
