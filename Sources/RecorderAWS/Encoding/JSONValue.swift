/// A JSON value of [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259), read from UTF-8.
///
/// `JSONSerialization` would add all of Foundation to a program, and `JSONDecoder` accepts some texts that are not JSON.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent in the range of `Int`.
    case integer(Int)
    /// Any other number.
    case double(Double)
    case string(String)
    case list([JSONValue])
    /// Of members with the same name, the last one.
    case object([String: JSONValue])

    /// The value of a whole text; nil if it is not JSON, is nested more than 512 levels deep, or has a number beyond the range
    /// of `Double`.
    package init?(_ text: [UInt8]) {
        var reader = JSONReader(text)
        guard let value = reader.value(depth: 0), reader.isAtEnd() else { return nil }
        self = value
    }

    /// Where a text that is not JSON stops being JSON; nil if it is JSON.
    package static func firstErrorOffset(in text: [UInt8]) -> Int? {
        var reader = JSONReader(text)
        if reader.value(depth: 0) != nil, reader.isAtEnd() { return nil }
        return reader.offset
    }

    /// The value if it is a string.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value if it is a list.
    package var list: [JSONValue]? {
        if case .list(let elements) = self { elements } else { nil }
    }

    /// The value if it is an object.
    package var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The value if it is a number; one beyond 2^53 is rounded.
    package var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .null, .bool, .string, .list, .object: nil
        }
    }
}

/// Reads values one after the other. Each method returns nil where the text is not JSON.
private struct JSONReader {
    private let text: [UInt8]
    private var index = 0
    private static let maximumDepth = 512

    init(_ text: [UInt8]) {
        self.text = text
    }

    var offset: Int { min(index, text.count) }

    mutating func isAtEnd() -> Bool {
        skipSpace()
        return index == text.count
    }

    mutating func value(depth: Int) -> JSONValue? {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return object(depth: depth + 1)
        case UInt8(ascii: "["): return list(depth: depth + 1)
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JSONValue? {
        guard depth <= Self.maximumDepth, take("{") else { return nil }
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard let name = string() else { return nil }
            skipSpace()
            guard take(":"), let member = value(depth: depth) else { return nil }
            members[name] = member
            skipSpace()
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func list(depth: Int) -> JSONValue? {
        guard depth <= Self.maximumDepth, take("[") else { return nil }
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return .list(elements) }
        repeat {
            guard let element = value(depth: depth) else { return nil }
            elements.append(element)
            skipSpace()
        } while take(",")
        return take("]") ? .list(elements) : nil
    }

    // MARK: - numbers

    private mutating func number() -> JSONValue? {
        let start = index
        _ = take("-")
        guard take("0") || takeDigits() else { return nil }
        var isWhole = true
        if take(".") {
            guard takeDigits() else { return nil }
            isWhole = false
        }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            guard takeDigits() else { return nil }
            isWhole = false
        }
        let digits = String(decoding: text[start..<index], as: UTF8.self)
        if isWhole, let number = Int(digits) { return .integer(number) }
        guard let number = Double(digits), number.isFinite else { return nil }
        return .double(number)
    }

    private mutating func takeDigits() -> Bool {
        let start = index
        while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { index += 1 }
        return index > start
    }

    // MARK: - strings

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var start = index
        // Only of a string with escapes.
        var decoded: [UInt8] = []
        while let byte = next, byte >= 0x20 {
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                let rest = text[start..<index - 1]
                guard !decoded.isEmpty else { return String(validating: rest, as: UTF8.self) }
                return String(validating: decoded + rest, as: UTF8.self)
            case UInt8(ascii: "\\"):
                decoded += text[start..<index - 1]
                guard let character = escaped() else { return nil }
                decoded += Array(String(character).utf8)
                start = index
            default: break
            }
        }
        return nil
    }

    /// The character after a backslash.
    private mutating func escaped() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return codePoint()
        default: return nil
        }
    }

    /// The character of four hexadecimal digits, or of two such escapes that are a surrogate pair.
    private mutating func codePoint() -> Unicode.Scalar? {
        guard let first = hexadecimal() else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard take("\\u"), let second = hexadecimal(), UTF16.isTrailSurrogate(second) else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func hexadecimal() -> UInt16? {
        guard index + 4 <= text.count, text[index] != UInt8(ascii: "+"), text[index] != UInt8(ascii: "-") else {
            return nil
        }
        defer { index += 4 }
        return UInt16(String(decoding: text[index..<index + 4], as: UTF8.self), radix: 16)
    }

    // MARK: - bytes

    private var next: UInt8? { index < text.count ? text[index] : nil }

    private mutating func take(_ token: StaticString) -> Bool {
        guard text.count - index >= token.utf8CodeUnitCount else { return false }
        for offset in 0..<token.utf8CodeUnitCount {
            guard unsafe token.utf8Start[offset] == text[index + offset] else { return false }
        }
        index += token.utf8CodeUnitCount
        return true
    }

    private mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { index += 1 }
    }
}
