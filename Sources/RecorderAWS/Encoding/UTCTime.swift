import FoundationEssentials

/// A time in UTC, to the second. Independent of the machine's time zone and locale.
struct UTCTime: Equatable {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int

    /// A time from its parts, which are not checked.
    init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// The time of a date; fractions of a second are dropped. A date outside the years 1 to 9999 is clamped to them, and
    /// NaN becomes 1970, so that a broken clock does not end the process.
    init(_ date: Date) {
        let exact = date.timeIntervalSince1970
        let seconds =
            exact.isNaN ? 0 : Int(min(max(exact.rounded(.down), Self.seconds.lowerBound), Self.seconds.upperBound))
        let (days, rest) = Self.divide(seconds, by: 86_400)
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
        // With years that begin in March the leap day comes last, and all eras of 400 years are the same.
        let (era, dayOfEra) = Self.divide(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The time in a `Date` header, as in `Sun, 06 Nov 1994 08:49:37 GMT`; nil for any other form.
    init?(httpDate text: String) {
        let parts = text.split { " ,:".contains($0) }
        guard parts.count == 8, parts[7] == "GMT",
            let month = Self.months.firstIndex(where: { $0 == parts[2] }),
            let day = Int(parts[1]), let year = Int(parts[3]),
            let hour = Int(parts[4]), let minute = Int(parts[5]), let second = Int(parts[6]),
            (1...31).contains(day), (1970...9999).contains(year),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        self.init(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    }

    /// The time as a date.
    var date: Date {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = Self.divide(shiftedYear, by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
    }

    /// The day in the form that signatures use: `20150830`.
    var compactDay: String { Self.padded(year, to: 4) + Self.padded(month, to: 2) + Self.padded(day, to: 2) }

    /// The time in the form that signatures use: `20150830T123600Z`.
    var compact: String {
        compactDay + "T" + Self.padded(hour, to: 2) + Self.padded(minute, to: 2) + Self.padded(second, to: 2) + "Z"
    }

    /// The time in the form of ISO 8601: `2015-08-30T12:36:00Z`.
    var iso8601: String {
        func two(_ number: Int) -> String { Self.padded(number, to: 2) }
        return "\(Self.padded(year, to: 4))-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))Z"
    }

    /// The years 1 to 9999, as seconds since 1970.
    private static let seconds = -62_135_596_800.0...253_402_300_799.0

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func padded(_ number: Int, to width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    private static func divide(_ number: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
        let quotient = (number >= 0 ? number : number - divisor + 1) / divisor
        return (quotient, number - quotient * divisor)
    }
}

extension UTCTime {
    /// The time in a text such as `2026-03-01T12:36:00Z`; nil for any other form.
    ///
    /// A space may replace the `T`. Fractions of a second are dropped, and an offset from UTC (`+02:00`, `-0730`) is
    /// subtracted. Without `Z` and offset the time is UTC.
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

    /// The offset from UTC in minutes at the end of such a text, after an optional fraction of a second; nil for any other
    /// text.
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

    /// Removes and returns the number in the next `count` characters, which must all be digits.
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
