/// Text inside JSON quotes.
package enum JSONText {
    /// A JSON string.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        var text = text
        text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0), to: &bytes) }
        return String(decoding: bytes, as: UTF8.self) + "\""
    }

    /// Appends UTF-8 `text` with quotes, backslashes and control characters escaped.
    package static func append(_ text: UnsafeRawBufferPointer, to json: inout [UInt8]) {
        guard hasEscaped(text) else { return json.append(contentsOf: text) }
        for index in 0..<text.count {
            let byte = text[index]
            guard isEscaped(byte) else {
                json.append(byte)
                continue
            }
            json.append(UInt8(ascii: "\\"))
            if byte < 0x20 {
                json.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
                json.append(hex[Int(byte >> 4)])
                json.append(hex[Int(byte & 0xF)])
            } else {
                json.append(byte)
            }
        }
    }

    /// Reads every byte without a branch or an early exit, so that the compiler can vectorize the loop.
    private static func hasEscaped(_ text: UnsafeRawBufferPointer) -> Bool {
        var found: UInt8 = 0
        for index in text.indices {
            let byte = text[index]
            found |= (byte < 0x20 ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
        }
        return found != 0
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static let hex = Array("0123456789abcdef".utf8)
}
