import FoundationEssentials

/// Times are stored as whole milliseconds. This is far beyond any real time, and the difference of two such times does not
/// overflow.
private let farthest: Int64 = 1 << 61

extension Date {
    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    /// Milliseconds since 1970.
    var milliseconds: Int64 {
        let exact = (timeIntervalSince1970 * 1_000).rounded()
        return exact.isNaN ? 0 : Int64(min(max(exact, -Double(farthest)), Double(farthest)))
    }
}

extension Duration {
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(seconds, -farthest / 1_000), farthest / 1_000) * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// Whole milliseconds, such as `17 ms`, for log lines.
    package var text: String { "\(milliseconds) ms" }
}
