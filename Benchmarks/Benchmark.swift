/// One line of the table of targets: a file each, named after it.
struct Benchmark: Sendable {
    /// What selects it on the command line, as `P9`.
    let name: String
    /// What it measures, in a few words.
    let about: String
    /// Whether it takes the time on the wall, which other programs spoil.
    var needsQuiet = true
    /// Takes the measurements.
    let measure: @Sendable (Effort) throws -> [Figure]
}

/// How long to measure.
enum Effort {
    case full
    case quick

    /// How often to repeat a measurement whose median counts.
    var rounds: Int { self == .full ? 7 : 3 }

    /// A number of items, fewer where it must be quick.
    func count(_ full: Int) -> Int { self == .full ? full : full / 10 }
}

/// One measured figure, with what it is to be.
struct Figure: CustomStringConvertible {
    /// As `P9 link`.
    let name: String
    /// The figure over its baseline.
    let ratio: Double
    /// As `<=400 ns`.
    let target: String
    let isMet: Bool
    /// The absolute figures behind the ratio, each with its name and unit.
    let behind: String
    /// Whether other programs ran at the same time, so that meeting the target proves nothing.
    var isNoisy = false

    var description: String {
        let digits = (ratio * 1000).rounded() / 1000
        let result = isMet ? (isNoisy ? "noisy" : "ok") : "SHORT"
        return "\(name) ratio=\(digits) target\(target) \(result) (\(behind))"
    }
}
