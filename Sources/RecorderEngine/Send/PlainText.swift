/// Text that stands in JSON as it is: visible ASCII and spaces, no quotes, no escapes.
enum PlainText {
    /// The first byte from `start` on that is not plain; the end if all are.
    ///
    /// Eight bytes at a time, since answers are long and made of such text.
    static func end(in text: [UInt8], from start: Int) -> Int {
        let bytes = unsafe text.span.bytes
        var index = start
        while index + 8 <= bytes.byteCount {
            // In bounds: the line above has checked it.
            let eight = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard !hasOther(eight) else { break }
            index += 8
        }
        while index < text.count, isPlain(text[index]) { index += 1 }
        return index
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Whether any of eight bytes is not plain, by the carries of
    /// [subtractions side by side](https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord).
    private static func hasOther(_ eight: UInt64) -> Bool {
        let isControl = (eight &- each(0x20)) & ~eight
        let isHigh = eight
        let isQuote = hits(eight, UInt8(ascii: "\""))
        let isEscape = hits(eight, UInt8(ascii: "\\"))
        return (isControl | isHigh | isQuote | isEscape | hits(eight, 0x7F)) & each(0x80) != 0
    }

    /// The top bit of a byte is set if that byte is `byte`; bytes above one that is may be set wrongly.
    private static func hits(_ eight: UInt64, _ byte: UInt8) -> UInt64 {
        let rest = eight ^ each(byte)
        return (rest &- each(1)) & ~rest
    }

    private static func each(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}
