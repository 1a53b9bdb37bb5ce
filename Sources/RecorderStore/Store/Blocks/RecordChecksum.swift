/// A checksum of a stored record, which detects bytes that the disk altered.
///
/// SQLite checksums its log but not its database. Every step of the mixing can be undone, so a change within one 64-bit word is
/// always detected; other changes are missed once in four billion times. It is no protection against tampering.
/// zlib's CRC-32 takes ten times as long, a fifth of a save.
enum RecordChecksum {
    /// The checksum of a record, whose key is not stored if it is numbered.
    static func of(
        _ id: RecordID,
        key: BlockHead.Key,
        givenKey: UnsafeRawBufferPointer,
        data: UnsafeRawBufferPointer
    ) -> UInt32 {
        var sum = mix(seed, UInt64(bitPattern: id.rawValue))
        if case .numbered(let number) = key {
            sum = mix(sum, UInt64(bitPattern: number))
        } else {
            unsafe add(givenKey, to: &sum)
        }
        unsafe add(data, to: &sum)
        return UInt32(truncatingIfNeeded: sum >> 32)
    }

    /// The checksum of any bytes.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum = seed
        unsafe add(bytes, to: &sum)
        return sum
    }

    private static let seed: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let factor: UInt64 = 0xD6E8_FEB8_6659_FD93

    /// Adds a word.
    static func mix(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let mixed = sum ^ word
        return (mixed << 29 | mixed >> 35) &* factor
    }

    /// Adds bytes and their number, 32 at a time in four independent sums, which the processor computes in parallel.
    private static func add(_ bytes: UnsafeRawBufferPointer, to sum: inout UInt64) {
        var sums: (UInt64, UInt64, UInt64, UInt64) = (sum, sum &+ 1, sum &+ 2, sum &+ 3)
        var index = 0
        while index + 32 <= bytes.count {
            sums.0 = unsafe mix(sums.0, word(of: bytes, at: index))
            sums.1 = unsafe mix(sums.1, word(of: bytes, at: index + 8))
            sums.2 = unsafe mix(sums.2, word(of: bytes, at: index + 16))
            sums.3 = unsafe mix(sums.3, word(of: bytes, at: index + 24))
            index += 32
        }
        sum = mix(mix(mix(sums.0, sums.1), sums.2), sums.3)
        while index < bytes.count {
            sum = unsafe mix(sum, UInt64(bytes[index]))
            index += 1
        }
        sum = mix(sum, UInt64(bytes.count))
    }

    private static func word(of bytes: UnsafeRawBufferPointer, at index: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}

extension String {
    /// The checksum of its UTF-8.
    var checksum: Int64 {
        var text = self
        return text.withUTF8 { Int64(bitPattern: unsafe RecordChecksum.of(UnsafeRawBufferPointer($0))) }
    }
}
