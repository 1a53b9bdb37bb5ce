import RecorderAWS

/// Finds a member of a JSON object without reading the rest of it.
enum JSONMember {
    /// The text of the object's first member with this name, if its value is a string or a number; a number as it is written.
    ///
    /// What comes before the member must be JSON; what follows it is not read.
    static func text(of name: String, in record: ArraySlice<UInt8>) -> String? {
        var reader = Reader(record)
        guard reader.take("{") else { return nil }
        let name = Array(name.utf8)
        repeat {
            guard let found = reader.string(), reader.take(":") else { return nil }
            if reader.isEqual(found, to: name) { return reader.value() }
            guard reader.skipValue() else { return nil }
        } while reader.take(",")
        return nil
    }

    private struct Reader {
        private let text: ArraySlice<UInt8>
        private var index: Int

        init(_ text: ArraySlice<UInt8>) {
            self.text = text
            index = text.startIndex
        }

        private var next: UInt8? { index < text.endIndex ? text[index] : nil }

        private mutating func skipSpace() {
            while let next, next == 0x20 || (0x09...0x0D).contains(next) { index += 1 }
        }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard let next, UInt32(next) == character.value else { return false }
            index += 1
            return true
        }

        /// Where a string is, with its quotes.
        mutating func string() -> Range<Int>? {
            guard take("\"") else { return nil }
            let start = index - 1
            while let byte = next {
                index = min(index + (byte == UInt8(ascii: "\\") ? 2 : 1), text.endIndex)
                if byte == UInt8(ascii: "\"") { return start..<index }
            }
            return nil
        }

        func isEqual(_ string: Range<Int>, to name: [UInt8]) -> Bool {
            if string.count == name.count + 2 {
                var offset = 0
                while offset < name.count, text[string.lowerBound + 1 + offset] == name[offset] { offset += 1 }
                if offset == name.count { return true }
            }
            // Escaped, if at all.
            return string.count > name.count + 2 && decoded(string).map { Array($0.utf8) == name } == true
        }

        private func decoded(_ string: Range<Int>) -> String? {
            JSONValue(Array(text[string]))?.string
        }

        mutating func value() -> String? {
            skipSpace()
            if next == UInt8(ascii: "\"") { return string().flatMap(decoded) }
            let start = index
            guard skipValue() else { return nil }
            let bytes = Array(text[start..<index])
            guard JSONValue(bytes)?.double != nil else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Whether there was a value.
        mutating func skipValue() -> Bool {
            skipSpace()
            switch next {
            case UInt8(ascii: "\""): return string() != nil
            case UInt8(ascii: "{"), UInt8(ascii: "["): return skipNested()
            default:
                let start = index
                while let next, !Self.endsLiteral(next) { index += 1 }
                return index > start
            }
        }

        private static func endsLiteral(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x09...0x0D: true
            default: false
            }
        }

        private mutating func skipNested() -> Bool {
            var depth = 0
            while let byte = next {
                switch byte {
                case UInt8(ascii: "\""):
                    guard string() != nil else { return false }
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
                index += 1
                if depth == 0 { return true }
            }
            return false
        }
    }
}
