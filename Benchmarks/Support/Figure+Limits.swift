import Foundation

extension Figure {
    /// A figure whose target is a lower limit.
    init(_ name: String, _ ratio: Double, atLeast limit: Double, _ behind: String) {
        self.init(
            name: name,
            ratio: ratio,
            target: ">=\(limit.formatted)",
            isMet: ratio >= limit,
            behind: behind
        )
    }

    /// A figure whose target is an upper limit.
    init(_ name: String, _ ratio: Double, atMost limit: Double, _ behind: String) {
        self.init(
            name: name,
            ratio: ratio,
            target: "<=\(limit.formatted)",
            isMet: ratio <= limit,
            behind: behind
        )
    }

    /// A size; its ratio is to the limit.
    init(_ name: String, _ size: Double, _ unit: String, atMost limit: Double, _ kind: String) {
        self.init(
            name: name,
            ratio: size / limit,
            target: "<=\(limit.formatted) \(unit)",
            isMet: size <= limit,
            behind: "\(size.formatted) \(unit) \(kind), target \(limit.formatted)"
        )
    }
}

extension Double {
    /// Three significant digits for small numbers, groups of thousands for large ones: `0.0123`, `4.57`, `180,000`.
    var formatted: String {
        if abs(self) < 1_000 { return String(format: "%.3g", self) }
        let digits = String(Int(rounded()))
        let groups = stride(from: digits.count, to: 0, by: -3).map { end in
            String(digits.dropFirst(max(0, end - 3)).prefix(end - max(0, end - 3)))
        }
        return groups.reversed().joined(separator: ",")
    }

    /// As a rate: `180,000/s`.
    var perSecond: String { "\(formatted)/s" }
}
