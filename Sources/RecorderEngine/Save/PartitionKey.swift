import Glibc
import RecorderConcurrency

/// The random key of a record that was saved without one.
enum PartitionKey {
    /// An upper-case version 4 UUID, as the original's keys were.
    ///
    /// Formatted by hand: `UUID().uuidString` takes several times as long, and every save draws a key.
    /// https://www.rfc-editor.org/rfc/rfc9562#section-5.4
    static func random() -> String {
        let (first, second) = words.withLock { $0.nextPair() }
        let high = first & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return unsafe String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    unsafe text[end] = UInt8(ascii: "-")
                    end += 1
                }
                let byte = UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - 8 * (index % 8)))
                unsafe text[end] = digit(byte >> 4)
                unsafe text[end + 1] = digit(byte & 0xF)
                end += 2
            }
            return end
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }

    private static let words = Locked(RandomWords())
}

/// Random numbers, drawn many at a time: asking the system for one takes a microsecond.
private struct RandomWords {
    private var drawn: [UInt64] = []

    /// The most bytes that getentropy gives at once.
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
