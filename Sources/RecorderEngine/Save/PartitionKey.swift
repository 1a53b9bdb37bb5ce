/// The random key of a record that was saved without one.
enum PartitionKey {
    /// An upper-case version 4 UUID, as the original's keys were.
    ///
    /// Formatted by hand: `UUID().uuidString` takes several times as long, and every save draws a key.
    /// https://www.rfc-editor.org/rfc/rfc9562#section-5.4
    static func random() -> String {
        var random = SystemRandomNumberGenerator()
        let high = random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for index in 0..<16 {
            if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
            let byte = (index < 8 ? high : low) >> UInt64(56 - 8 * (index % 8)) & 0xFF
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0xF)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
