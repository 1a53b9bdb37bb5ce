/// The characters that one step of a pattern matches.
///
/// A character is a Unicode code point; a byte that is not part of valid UTF-8 is a character of its own, above the code points.
struct PatternCharacters: Sendable, Equatable {
    static let lastCodePoint: UInt32 = 0x10_FFFF
    /// The characters of the bytes 0x00 to 0xFF where they are not UTF-8.
    static let firstInvalidByte: UInt32 = 0x11_0000
    static let last: UInt32 = firstInvalidByte + 0xFF

    /// Sorted, without overlaps.
    private(set) var ranges: [ClosedRange<UInt32>] = []
    /// The members below 64, and those from 64 to 127.
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ ranges: [ClosedRange<UInt32>]) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let before = self.ranges.last, range.lowerBound <= before.upperBound + 1 {
                self.ranges[self.ranges.count - 1] = before.lowerBound...max(before.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
        for character in 0..<128 as Range<UInt32> where self.ranges.contains(where: { $0.contains(character) }) {
            if character < 64 { low |= 1 << UInt64(character) } else { high |= 1 << UInt64(character - 64) }
        }
    }

    init(_ characters: String) {
        self.init(characters.unicodeScalars.map { $0.value...$0.value })
    }

    func contains(_ character: UInt32) -> Bool {
        if character < 64 { return low >> UInt64(character) & 1 == 1 }
        if character < 128 { return high >> UInt64(character - 64) & 1 == 1 }
        return ranges.contains { $0.contains(character) }
    }

    /// Whether any member is not ASCII.
    var hasWideMembers: Bool { (ranges.last?.upperBound ?? 0) >= 128 }

    var inverted: PatternCharacters {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { gaps.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        if next <= Self.last { gaps.append(next...Self.last) }
        return PatternCharacters(gaps)
    }

    func union(_ other: PatternCharacters) -> PatternCharacters { PatternCharacters(ranges + other.ranges) }

    /// With the other case of each ASCII letter.
    var ignoringCase: PatternCharacters {
        let letters = ranges.flatMap { range -> [ClosedRange<UInt32>] in
            let small = range.clamped(to: 0x61...0x7A), capital = range.clamped(to: 0x41...0x5A)
            return (range.overlaps(0x61...0x7A) ? [small.lowerBound - 32...small.upperBound - 32] : [])
                + (range.overlaps(0x41...0x5A) ? [capital.lowerBound + 32...capital.upperBound + 32] : [])
        }
        return PatternCharacters(ranges + letters)
    }
}

extension PatternCharacters {
    static let digits = PatternCharacters([0x30...0x39])
    static let word = PatternCharacters([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let space = PatternCharacters(" \t\n\u{B}\u{C}\r")
    static let blank = PatternCharacters(" \t")
    /// What `.` matches: everything but the ends of lines.
    static let anyInLine = PatternCharacters("\n\r").inverted
    static let any = PatternCharacters([0...last])

    /// The class of a name as in `[[:alpha:]]`; nil if there is none.
    init?(className: String) {
        let letters: [ClosedRange<UInt32>] = [0x41...0x5A, 0x61...0x7A]
        switch className {
        case "alpha": self.init(letters)
        case "digit": self = .digits
        case "alnum": self.init(letters + [0x30...0x39])
        case "upper": self.init([0x41...0x5A])
        case "lower": self.init([0x61...0x7A])
        case "space": self = .space
        case "blank": self = .blank
        case "punct": self.init([0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E])
        case "xdigit": self.init([0x30...0x39, 0x41...0x46, 0x61...0x66])
        case "word": self = .word
        default: return nil
        }
    }
}
