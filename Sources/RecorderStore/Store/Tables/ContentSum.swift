/// A running checksum of the bytes that were read of a file, in words of eight bytes as they lie in the file: what has been
/// summed is the same for every way to read it. The bytes behind the last whole word are left to the fingerprint of the position.
package struct ContentSum: Sendable, Hashable {
    /// Where the first summed word begins, and the last one ends: multiples of eight.
    package let start: Int
    package let end: Int
    let value: UInt64

    /// That of no bytes, before a byte of the file.
    package init(before byte: Int = 0) {
        self.init(start: byte & ~7, end: byte & ~7, value: 0)
    }

    init(start: Int, end: Int, value: UInt64) {
        (self.start, self.end, self.value) = (start, end, value)
    }

    /// Adds the words that end at or before a byte; `bytes` are those of the file from `end` on.
    package func adding(_ bytes: UnsafeRawBufferPointer, upTo byte: Int) -> ContentSum {
        let words = max(byte - end, 0) / 8
        precondition(bytes.count >= words * 8, "bytes that were read are missing")
        var value = value
        for word in 0..<words {
            value = RecordChecksum.mix(
                value,
                UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self))
            )
        }
        return ContentSum(start: start, end: end + words * 8, value: value)
    }
}
