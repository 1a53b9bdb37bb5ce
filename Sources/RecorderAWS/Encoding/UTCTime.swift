import Foundation

/// A moment in the calendar of UTC, to the second, whatever the machine's zone and language are.
struct UTCTime: Equatable {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int

    /// A moment; the numbers are believed.
    init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// The moment of a date; fractions of a second are dropped. What lies beyond the years 1 to 9999 counts as the
    /// nearest end of them, and what is no time as 1970: a clock that cannot be right ends no process.
    init(_ date: Date) {
        let exact = date.timeIntervalSince1970
        let seconds =
            exact.isNaN ? 0 : Int(min(max(exact.rounded(.down), Self.seconds.lowerBound), Self.seconds.upperBound))
        let (days, rest) = Self.divide(seconds, by: 86_400)
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
        // Years that begin in March put the leap day last, and eras of 400 years are all alike.
        let (era, dayOfEra) = Self.divide(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The moment that a `Date` header names, as in `Sun, 06 Nov 1994 08:49:37 GMT`; nil for any other form.
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

    /// The moment as a date.
    var date: Date {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = Self.divide(shiftedYear, by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
    }

    /// The day as signatures have it: `20150830`.
    var compactDay: String { Self.digits(year, 4) + Self.digits(month, 2) + Self.digits(day, 2) }

    /// The moment as signatures have it: `20150830T123600Z`.
    var compact: String {
        compactDay + "T" + Self.digits(hour, 2) + Self.digits(minute, 2) + Self.digits(second, 2) + "Z"
    }

    /// The years with up to four digits, as seconds since 1970.
    private static let seconds = -62_135_596_800.0...253_402_300_799.0

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    private static func divide(_ number: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
        let quotient = (number >= 0 ? number : number - divisor + 1) / divisor
        return (quotient, number - quotient * divisor)
    }
}
