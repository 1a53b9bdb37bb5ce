/// The partition key of a record that was saved without one: a UUID of version 8, in upper case, that names the record.
///
/// https://www.rfc-editor.org/rfc/rfc9562#section-5.8 leaves 122 bits to the application. From the left: 60 bits of the store's
/// `KeySource`, 22 of the stream's number, and 40 of the record's number among those of its stream without a key. A service
/// hashes keys, so these spread over shards as random ones do. The key is not stored, and is the same whenever the record is
/// sent.
struct NumberedKey: ~Copyable {
    /// The numbers a record may have.
    static let numbers: ClosedRange<Int64> = 0...(1 << 40 - 1)

    private var text: [UInt8]

    /// Keys of one stream's records.
    init(source: KeySource, stream: Int64) {
        let high = source.rawValue & 0xFFF | 0x8000
        let low = UInt64(bitPattern: stream) & 0x3F_FFFF
        text = []
        text.reserveCapacity(RecordKey.numberedBytes)
        text.appendHexadecimal(source.rawValue >> 28, digits: 8)
        text.append(UInt8(ascii: "-"))
        text.appendHexadecimal(source.rawValue >> 12, digits: 4)
        text.append(UInt8(ascii: "-"))
        text.appendHexadecimal(high, digits: 4)
        text.append(UInt8(ascii: "-"))
        text.appendHexadecimal(low >> 8 | 0x8000, digits: 4)
        text.append(UInt8(ascii: "-"))
        text.appendHexadecimal(low, digits: 2)
        text.append(contentsOf: [UInt8](repeating: UInt8(ascii: "0"), count: 10))
    }

    /// Calls `body` with the key of one record.
    mutating func withBytes<Result>(of number: Int64, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var left = UInt64(bitPattern: number)
        for index in stride(from: RecordKey.numberedBytes - 1, through: RecordKey.numberedBytes - 10, by: -1) {
            text[index] = UInt8(hexadecimalDigit: left)
            left >>= 4
        }
        return unsafe text.withUnsafeBytes { unsafe body($0) }
    }
}

/// What distinguishes the numbered keys of one store from those of all others: 60 random bits, not 0.
///
/// It belongs to a segment. A store that finds itself in a file that was copied draws a new one, so that two copies never give
/// the same key to different records.
struct KeySource: Sendable, Hashable {
    let rawValue: UInt64

    private static let values: ClosedRange<UInt64> = 1...(1 << 60 - 1)

    /// nil if a stored number is out of range.
    init?(stored: Int64) {
        guard let value = UInt64(exactly: stored), Self.values.contains(value) else { return nil }
        rawValue = value
    }

    var stored: Int64 { Int64(rawValue) }

    private init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// A new one.
    static func random() -> KeySource { KeySource(rawValue: SystemRandom.number(in: values)) }
}

extension [UInt8] {
    fileprivate mutating func appendHexadecimal(_ value: UInt64, digits: Int) {
        for digit in stride(from: digits - 1, through: 0, by: -1) {
            append(UInt8(hexadecimalDigit: value >> UInt64(digit * 4)))
        }
    }
}

extension UInt8 {
    /// The upper-case digit of the lowest four bits.
    fileprivate init(hexadecimalDigit value: UInt64) {
        let digit = UInt8(value & 0xF)
        self = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") - 10 + digit
    }
}
