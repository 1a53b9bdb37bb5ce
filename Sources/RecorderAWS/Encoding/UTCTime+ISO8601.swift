import Foundation

extension UTCTime {
    /// The moment that a text such as `2026-03-01T12:36:00Z` names; nil for any other form.
    ///
    /// A blank may stand for the `T`. Fractions of a second are dropped, and an offset from UTC (`+02:00`, `-0730`) is
    /// taken off. Without `Z` and offset it is UTC.
    init?(iso8601 text: String) {
        var rest = Substring(text)
        guard let year = Self.number(4, from: &rest), Self.skip("-", in: &rest),
            let month = Self.number(2, from: &rest), Self.skip("-", in: &rest),
            let day = Self.number(2, from: &rest), Self.skip("T", in: &rest) || Self.skip(" ", in: &rest),
            let hour = Self.number(2, from: &rest), Self.skip(":", in: &rest),
            let minute = Self.number(2, from: &rest), Self.skip(":", in: &rest),
            let second = Self.number(2, from: &rest),
            let offset = Self.offset(in: rest),
            (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        let local = UTCTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        self.init(local.date - Double(offset * 60))
    }

    /// Minutes ahead of UTC at the end of such a text, after a fraction of a second; nil if something else is there.
    private static func offset(in end: Substring) -> Int? {
        var rest = end
        if skip(".", in: &rest) || skip(",", in: &rest) {
            guard rest.first?.isNumber == true else { return nil }
            rest = rest.drop { ("0"..."9").contains($0) }
        }
        if rest.isEmpty || rest == "Z" { return 0 }
        let isBehind = rest.first == "-"
        guard skip("+", in: &rest) || skip("-", in: &rest), let hours = number(2, from: &rest) else { return nil }
        _ = skip(":", in: &rest)
        let minutes = rest.isEmpty ? 0 : number(2, from: &rest)
        guard let minutes, rest.isEmpty, hours <= 23, minutes <= 59 else { return nil }
        return (hours * 60 + minutes) * (isBehind ? -1 : 1)
    }

    /// The number in the next so many characters, which must all be digits.
    private static func number(_ count: Int, from rest: inout Substring) -> Int? {
        let digits = rest.prefix(count)
        guard digits.utf8.count == count, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return Int(digits)
    }

    private static func skip(_ character: Character, in rest: inout Substring) -> Bool {
        guard rest.first == character else { return false }
        rest = rest.dropFirst()
        return true
    }
}
