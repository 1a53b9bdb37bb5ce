/// Comments in JSON, as Java programs write them: `//` to the end of the line, and `/*` to `*/`.
enum JSONComments {
    /// The text with spaces in place of comments; line breaks stay.
    static func blanked(_ text: [UInt8]) -> [UInt8] {
        var text = text
        var index = 0
        while index < text.count {
            let next = index + 1 < text.count ? text[index + 1] : 0
            switch (text[index], next) {
            case (UInt8(ascii: "\""), _): index = endOfString(in: text, from: index)
            case (UInt8(ascii: "/"), UInt8(ascii: "/")):
                while index < text.count, text[index] != 0x0A {
                    text[index] = 0x20
                    index += 1
                }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")): index = blank(&text, from: index)
            default: index += 1
            }
        }
        return text
    }

    private static func endOfString(in text: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }

    /// A comment without an end stays, so that the text is not JSON.
    private static func blank(_ text: inout [UInt8], from start: Int) -> Int {
        var end = start + 2
        while end + 1 < text.count, (text[end], text[end + 1]) != (UInt8(ascii: "*"), UInt8(ascii: "/")) { end += 1 }
        guard end + 1 < text.count else { return text.count }
        for index in start..<end + 2 where text[index] != 0x0A { text[index] = 0x20 }
        return end + 2
    }
}
