/// Partition keys of one stream's records, written by the documented form and not by the engine.
package struct NumberedKeys: Sendable {
    package let store: String
    private let start: String

    /// - Parameters:
    ///   - store: 15 hexadecimal digits.
    ///   - stream: the number of the stream.
    package init(store: String = "5A0C2F9E71B3D44", stream: Int = 1) {
        self.store = store
        let low = String(stream & 0x3F_FFFF | 0x80_0000, radix: 16, uppercase: true)
        start =
            "\(store.prefix(8))-\(store.dropFirst(8).prefix(4))-8\(store.suffix(3))-\(low.prefix(4))-\(low.suffix(2))"
    }

    /// The key of one record.
    package subscript(ordinal: Int64) -> String {
        let digits = String(ordinal, radix: 16, uppercase: true)
        return start + String(repeating: "0", count: 10 - digits.utf8.count) + digits
    }
}
