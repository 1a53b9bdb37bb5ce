/// What a `NumberedKey` says: which store saved the record, in which of its streams, and as which one of those without a key.
///
/// Every consumer reads keys by this type: the public helpers and the command line.
package struct RecordIdentity: Sendable, Hashable {
    /// The length of such a key in bytes.
    package static let keyBytes = 36
    /// The numbers that the streams of a store may have.
    package static let streams: ClosedRange<Int64> = 1...(1 << 22)

    /// The store's `KeySource`.
    package let store: UInt64
    /// The number of the stream in its store.
    package let stream: Int64
    /// Counts the stream's records without a key, from 0.
    package let ordinal: Int64

    package init(store: UInt64, stream: Int64, ordinal: Int64) {
        self.store = store
        self.stream = stream
        self.ordinal = ordinal
    }

    /// Reads a partition key; nil if it is not in the form of a numbered key. A UUID of version 8 that another program made can
    /// be in that form, too.
    package init?(partitionKey: String) {
        guard partitionKey.utf8.count == Self.keyBytes else { return nil }
        // 128 bits, the left 64 and the right 64.
        var bits: (UInt64, UInt64) = (0, 0)
        for (index, byte) in partitionKey.utf8.enumerated() {
            switch (index, byte.hexadecimalDigit) {
            case (8, _), (13, _), (18, _), (23, _): guard byte == UInt8(ascii: "-") else { return nil }
            case (_, nil): return nil
            case (..<19, let digit?): bits.0 = bits.0 << 4 | digit
            case (_, let digit?): bits.1 = bits.1 << 4 | digit
            }
        }
        guard bits.0 >> 12 & 0xF == 8, bits.1 >> 62 == 2 else { return nil }
        store = (bits.0 >> 16) << 12 | bits.0 & 0xFFF
        guard store != 0 else { return nil }
        let low = Int64(bits.1 >> 40 & 0x3F_FFFF)
        // The largest number has one bit more than there is room for.
        stream = low == 0 ? Self.streams.upperBound : low
        ordinal = Int64(bits.1 & 0xFF_FFFF_FFFF)
    }

    /// The store as text: the 15 hexadecimal digits of its keys, in upper case.
    package var storeID: String { Self.storeID(store) }

    /// A store as text.
    package static func storeID(_ store: UInt64) -> String {
        let digits = String(store, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 15 - digits.utf8.count)) + digits
    }

    /// The store that a text of `storeID` names; nil for any other text.
    package static func store(_ storeID: String) -> UInt64? {
        guard storeID.utf8.count == 15, storeID.utf8.allSatisfy({ $0.hexadecimalDigit != nil }) else { return nil }
        return UInt64(storeID, radix: 16)
    }
}

extension UInt8 {
    /// The value of an upper-case hexadecimal digit; nil for any other character.
    fileprivate var hexadecimalDigit: UInt64? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(self - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(self - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
