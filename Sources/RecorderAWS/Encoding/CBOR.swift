/// The parts of CBOR ([RFC 8949](https://www.rfc-editor.org/rfc/rfc8949)) that requests consist of, written straight into a
/// buffer, with definite lengths.
package enum CBOR {
    /// The type of an item: the upper three bits of its first byte.
    package enum MajorType: UInt8 {
        case unsigned, negative, bytes, text, array, map, tag, simple
    }

    /// The first byte of an item without a value of its own: the end of an item of indefinite length.
    package static let breakByte: UInt8 = 0xFF
    package static let null: UInt8 = 0xF6
    package static let undefined: UInt8 = 0xF7
    /// Tag 55799, which may mark data as CBOR.
    package static let selfDescription: [UInt8] = [0xD9, 0xD9, 0xF7]

    /// Whether a document may be a map in CBOR. No document in JSON, and no text in UTF-8, begins like this.
    package static func mayBeMap(_ body: [UInt8]) -> Bool {
        guard let first = body.first else { return false }
        return first >> 5 == MajorType.map.rawValue || body.starts(with: selfDescription)
    }

    /// Appends the start of an item: its type and its length, in the shortest form.
    package static func appendHead(_ type: MajorType, _ length: Int, to buffer: inout [UInt8]) {
        let major = type.rawValue << 5
        switch length {
        case ..<24: buffer.append(major | UInt8(truncatingIfNeeded: length))
        case ..<(1 << 8): append(major | 24, length, bytes: 1, to: &buffer)
        case ..<(1 << 16): append(major | 25, length, bytes: 2, to: &buffer)
        case ..<(1 << 32): append(major | 26, length, bytes: 4, to: &buffer)
        default: append(major | 27, length, bytes: 8, to: &buffer)
        }
    }

    /// Appends the start of an array with a length of two bytes, which ``setCount(_:ofArrayEndingAt:in:)`` can replace.
    package static func appendArrayHead(to buffer: inout [UInt8]) {
        append(MajorType.array.rawValue << 5 | 25, 0, bytes: 2, to: &buffer)
    }

    /// Replaces the length of an array whose start, written by ``appendArrayHead(to:)``, ends at `end`.
    package static func setCount(_ count: Int, ofArrayEndingAt end: Int, in buffer: inout [UInt8]) {
        buffer[end - 2] = UInt8(truncatingIfNeeded: count >> 8)
        buffer[end - 1] = UInt8(truncatingIfNeeded: count)
    }

    /// Appends UTF-8 as a text string.
    package static func appendText(_ text: some Collection<UInt8>, to buffer: inout [UInt8]) {
        appendHead(.text, text.count, to: &buffer)
        buffer.append(contentsOf: text)
    }

    private static func append(_ first: UInt8, _ length: Int, bytes: Int, to buffer: inout [UInt8]) {
        buffer.append(first)
        for index in (0..<bytes).reversed() { buffer.append(UInt8(truncatingIfNeeded: length >> (8 * index))) }
    }
}
