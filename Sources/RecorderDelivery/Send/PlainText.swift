/// Text that needs no escaping in JSON: bytes from 0x20 to 0x7F without quotes and backslashes.
///
/// Scanned eight bytes at a time, because answers are long and consist of such text.
enum PlainText {
    /// The index of the first byte from `start` on that is not plain; the end if all are.
    static func end(in text: [UInt8], from start: Int) -> Int {
        var index = start
        while index + 8 <= text.count {
            let others = others(in: word(of: text, at: index))
            // The lowest bit is that of the first byte.
            guard others == 0 else { return index + others.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < text.count, isPlain(text[index]) { index += 1 }
        return index
    }

    /// The index after `part`, which has eight bytes or more, if it is in `text` at `start`.
    static func end(of part: [UInt8], in text: [UInt8], at start: Int) -> Int? {
        let last = part.count - 8
        guard last >= 0, start + part.count <= text.count else { return nil }
        for index in stride(from: 0, to: last, by: 8) {
            guard word(of: part, at: index) == word(of: text, at: start + index) else { return nil }
        }
        // Overlaps the bytes compared before.
        return word(of: part, at: last) == word(of: text, at: start + last) ? start + part.count : nil
    }

    /// Whether a range of `text`, which must exist, has only bytes below 0x80.
    static func isASCII(_ text: [UInt8], in range: Range<Int>) -> Bool {
        var index = range.lowerBound
        var found: UInt64 = 0
        while index + 8 <= range.upperBound {
            found |= word(of: text, at: index)
            index += 8
        }
        while index < range.upperBound {
            found |= UInt64(text[index])
            index += 1
        }
        return found & each(0x80) == 0
    }

    /// Eight bytes, which must exist, the first in the lowest bits.
    private static func word(of text: [UInt8], at index: Int) -> UInt64 {
        UInt64(littleEndian: unsafe text.span.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x80).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// The top bit of a byte is set if that byte is not plain; above the first such byte it may be set wrongly. By the
    /// carries of [subtractions side by side](https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord).
    private static func others(in eight: UInt64) -> UInt64 {
        let isControl = (eight &- each(0x20)) & ~eight
        let isHigh = eight
        let isQuote = hits(eight, UInt8(ascii: "\""))
        let isEscape = hits(eight, UInt8(ascii: "\\"))
        return (isControl | isHigh | isQuote | isEscape) & each(0x80)
    }

    private static func hits(_ eight: UInt64, _ byte: UInt8) -> UInt64 {
        let rest = eight ^ each(byte)
        return (rest &- each(1)) & ~rest
    }

    private static func each(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}
