/// Numbers and times as people read them.
package enum Formatting {
    /// As in `1,234,567`.
    package static func count(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// As in `1 record`, `12 records`.
    package static func records(_ number: Int) -> String {
        counted(number, "record")
    }

    /// As in `1 shard`, `12 shards`; `plural` is for nouns that do not only take an s.
    package static func counted(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? noun : plural ?? "\(noun)s")"
    }

    /// As in `in 1 entry`, `in 12 entries`.
    package static func entries(_ number: Int) -> String {
        "in \(counted(number, "entry", plural: "entries"))"
    }

    /// As in `45 s`, `12 min`, `3 h`, `9 d`.
    package static func age(_ duration: Duration) -> String {
        let seconds = max(Int(duration.components.seconds), 0)
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7_200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return "\(seconds / 86_400) d"
        }
    }

    /// As in `0:07`, `2:03:00`.
    package static func clock(_ duration: Duration) -> String {
        let seconds = max(Int(duration.components.seconds), 0)
        let tail = twoDigits(seconds % 60)
        guard seconds >= 3_600 else { return "\(seconds / 60):\(tail)" }
        return "\(seconds / 3_600):\(twoDigits(seconds / 60 % 60)):\(tail)"
    }

    /// As in `2.5 s`, `2:03:00`.
    package static func elapsed(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        return seconds < 60 ? "\(oneDecimal(seconds)) s" : clock(duration)
    }

    /// As in `1,234/s`.
    package static func rate(_ number: Int, in duration: Duration) -> String {
        "\(count(whole(Double(number) / max(duration / .seconds(1), 0.001))))/s"
    }

    /// As in `2.5`, `1234.0`.
    package static func oneDecimal(_ number: Double) -> String {
        let tenths = whole((number * 10).rounded(.toNearestOrEven))
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    // MARK: numbers of any size

    /// The number without its fraction, clamped to the range of `Int`.
    package static func whole(_ number: Double) -> Int {
        Int(exactly: number.rounded(.towardZero)) ?? (number > 0 ? .max : number < 0 ? .min : 0)
    }

    /// The sum, clamped to the range of `Int`.
    package static func sum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflows) = a.addingReportingOverflow(b)
        return overflows ? (a < 0 ? .min : .max) : sum
    }
}
