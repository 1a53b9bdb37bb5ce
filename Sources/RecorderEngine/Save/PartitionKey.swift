import Glibc
import RecorderConcurrency

/// The random partition key of a record that is saved without one.
enum PartitionKey {
    /// An upper-case version 4 UUID, like the original's keys.
    ///
    /// Formatted here, eight digits at once, because `UUID().uuidString` takes many times as long.
    /// https://www.rfc-editor.org/rfc/rfc9562#section-5.4
    static func random() -> String {
        let (first, second) = words.withLock { $0.nextPair() }
        let high = first & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let (a, b) = (digits(high >> 32), digits(high & 0xFFFF_FFFF))
        let (c, d) = (digits(low >> 32), digits(low & 0xFFFF_FFFF))
        return unsafe String(unsafeUninitializedCapacity: 36) { text in
            let text = UnsafeMutableRawBufferPointer(text)
            unsafe text.storeBytes(of: a.bigEndian, as: UInt64.self)
            unsafe text.storeBytes(of: UInt32(b >> 32).bigEndian, toByteOffset: 9, as: UInt32.self)
            unsafe text.storeBytes(of: UInt32(truncatingIfNeeded: b).bigEndian, toByteOffset: 14, as: UInt32.self)
            unsafe text.storeBytes(of: UInt32(c >> 32).bigEndian, toByteOffset: 19, as: UInt32.self)
            unsafe text.storeBytes(of: UInt32(truncatingIfNeeded: c).bigEndian, toByteOffset: 24, as: UInt32.self)
            unsafe text.storeBytes(of: d.bigEndian, toByteOffset: 28, as: UInt64.self)
            for dash in [8, 13, 18, 23] { unsafe text[dash] = UInt8(ascii: "-") }
            return 36
        }
    }

    /// The eight hexadecimal digits of 32 bits, as ASCII; the first one in the highest byte.
    private static func digits(_ bits: UInt64) -> UInt64 {
        // Four bits to a byte.
        var word = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        word = (word | word << 8) & 0x00FF_00FF_00FF_00FF
        word = (word | word << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let isLetter = (word + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return word + isLetter * 7 + 0x3030_3030_3030_3030
    }

    private static let words = Locked(RandomWords())
}

/// Random numbers, requested many at a time: a system call takes a microsecond.
private struct RandomWords {
    private var drawn: [UInt64] = []

    /// The most bytes that getentropy returns.
    private static let bytes = 256

    mutating func nextPair() -> (UInt64, UInt64) {
        if drawn.count < 2 { draw() }
        return (drawn.removeLast(), drawn.removeLast())
    }

    private mutating func draw() {
        drawn = [UInt64](repeating: 0, count: Self.bytes / 8)
        let code = unsafe drawn.withUnsafeMutableBytes { unsafe getentropy($0.baseAddress, $0.count) }
        guard code != 0 else { return }
        var system = SystemRandomNumberGenerator()
        drawn = drawn.map { _ in system.next() }
    }
}
