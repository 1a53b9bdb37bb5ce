import Foundation

/// Numbers as people read and write them.
package enum Formatting {
    /// As in `1,234,567`.
    static func count(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// As in `1 record`, `12 records`.
    static func records(_ number: Int) -> String {
        "\(count(number)) record\(number == 1 ? "" : "s")"
    }

    /// As in `812 B`, `2.4 KiB`.
    static func bytes(_ number: Int) -> String {
        var value = Double(number)
        var units = ["B", "KiB", "MiB", "GiB", "TiB"][...]
        while value >= 1_024, units.count > 1 {
            value /= 1_024
            units.removeFirst()
        }
        return number < 1_024 ? "\(number) B" : String(format: "%.1f %@", value, units.first ?? "")
    }

    /// As in `45 s`, `12 min`, `3 h`, `9 d`.
    static func age(_ duration: Duration) -> String {
        let seconds = max(Int(duration.components.seconds), 0)
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7_200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return "\(seconds / 86_400) d"
        }
    }

    /// As in `0:07`, `2:03:00`.
    static func clock(_ duration: Duration) -> String {
        let seconds = max(Int(duration.components.seconds), 0)
        let tail = String(format: "%02d", seconds % 60)
        guard seconds >= 3_600 else { return "\(seconds / 60):\(tail)" }
        return "\(seconds / 3_600):" + String(format: "%02d", seconds / 60 % 60) + ":\(tail)"
    }

    /// As in `2.5 s`, `2:03:00`.
    static func elapsed(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        return seconds < 60 ? String(format: "%.1f s", seconds) : clock(duration)
    }

    /// As in `1,234/s`.
    static func rate(_ number: Int, in duration: Duration) -> String {
        "\(count(whole(Double(number) / max(duration / .seconds(1), 0.001))))/s"
    }

    // MARK: numbers of any size

    /// Without what follows the point; the nearest number that there is for one that is too large.
    static func whole(_ number: Double) -> Int {
        Int(exactly: number.rounded(.towardZero)) ?? (number > 0 ? .max : number < 0 ? .min : 0)
    }

    /// The sum, or the nearest number that there is.
    static func sum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflows) = a.addingReportingOverflow(b)
        return overflows ? (a < 0 ? .min : .max) : sum
    }

    // MARK: what is typed

    /// More than a file of SQLite's holds, and little enough to be multiplied.
    private static let largestSize = 16 << 40
    /// A hundred years.
    private static let longestTime = 36_500 * 86_400

    /// Reads `500`, `64K`, `500M`, `2G`, with or without `B` or `iB`; powers of 1,024, up to `16T`. nil for anything
    /// else.
    package static func parseBytes(_ text: String) -> Int? {
        let units = ["": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
        return parse(text, units: units, upTo: largestSize) { unit in
            unit.uppercased().replacing("IB", with: "").replacing("B", with: "")
        }
    }

    /// Reads `90`, `90s`, `15m`, `12h`, `7d`, up to `36500d`. nil for anything else.
    package static func parseDuration(_ text: String) -> Duration? {
        let units = ["": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400]
        return parse(text, units: units, upTo: longestTime) { $0 }.map { .seconds($0) }
    }

    private static func parse(_ text: String, units: [String: Int], upTo limit: Int, unit: (String) -> String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let factor = units[unit(String(text.dropFirst(digits.count)))] else {
            return nil
        }
        let (product, overflows) = number.multipliedReportingOverflow(by: factor)
        return overflows || product > limit ? nil : product
    }
}
