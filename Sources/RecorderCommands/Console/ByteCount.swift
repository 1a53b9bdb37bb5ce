import RecorderStore

/// A number of bytes, written as people read it: `812 B`, `2.4 KiB`.
package struct ByteCount: Sendable, Hashable {
    package let bytes: Int

    package init(_ bytes: Int) {
        self.bytes = bytes
    }

    static func kibibytes(_ number: Int) -> ByteCount { ByteCount(number << 10) }
    static func mebibytes(_ number: Int) -> ByteCount { ByteCount(number << 20) }
    static func tebibytes(_ number: Int) -> ByteCount { ByteCount(number << 40) }
}

extension ByteCount: Comparable {
    package static func < (a: ByteCount, b: ByteCount) -> Bool { a.bytes < b.bytes }
}

extension ByteCount: CustomStringConvertible {
    package var description: String {
        var value = Double(bytes)
        var units = ["B", "KiB", "MiB", "GiB", "TiB"][...]
        while value >= 1_024, units.count > 1 {
            value /= 1_024
            units.removeFirst()
        }
        return bytes < 1_024 ? "\(bytes) B" : "\(Formatting.oneDecimal(value)) \(units.first ?? "")"
    }
}

// MARK: what is typed

extension ByteCount {
    /// Larger than any SQLite file, and small enough to be multiplied.
    private static let largest = tebibytes(16)

    private static let units = [
        "": 1, "B": 1,
        "K": 1 << 10, "KB": 1 << 10, "KIB": 1 << 10,
        "M": 1 << 20, "MB": 1 << 20, "MIB": 1 << 20,
        "G": 1 << 30, "GB": 1 << 30, "GIB": 1 << 30,
        "T": 1 << 40, "TB": 1 << 40, "TIB": 1 << 40,
    ]

    /// Parses `500`, `64K`, `500M`, `2G`, with or without `B` or `iB`; powers of 1,024, up to `16T`. nil for anything
    /// else.
    package init?(typed text: String) {
        let typed = TypedNumber(text)
        let factor = Self.units[typed.unit.uppercased()]
        guard let bytes = typed.value(factor: factor, atMost: Self.largest.bytes) else { return nil }
        self.init(bytes)
    }
}

extension Duration {
    private static let secondsPerDay = 86_400
    private static let mostDays = 36_500

    /// Parses `90`, `90s`, `15m`, `12h`, `7d`, up to `36500d`. nil for anything else.
    package init?(typed text: String) {
        let units = ["": 1, "s": 1, "m": 60, "h": 3_600, "d": Self.secondsPerDay]
        let typed = TypedNumber(text)
        let limit = Self.mostDays * Self.secondsPerDay
        guard let seconds = typed.value(factor: units[typed.unit], atMost: limit) else { return nil }
        self = .seconds(seconds)
    }
}

/// A number with a unit behind it.
private struct TypedNumber {
    /// nil where the text does not begin with digits.
    let number: Int?
    let unit: String

    init(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        number = Int(digits)
        unit = String(text.dropFirst(digits.count))
    }

    /// nil for an unknown unit, and above the limit.
    func value(factor: Int?, atMost limit: Int) -> Int? {
        guard let number, let factor else { return nil }
        let (product, overflows) = number.multipliedReportingOverflow(by: factor)
        return overflows || product > limit ? nil : product
    }
}
