/// One benchmark, defined in a file with its name.
struct Benchmark: Sendable {
    /// Selects it on the command line, such as `P9`.
    let name: String
    /// What it measures, in a few words.
    let about: String
    /// Whether it measures wall-clock time, which other programs distort.
    var needsQuiet = true
    /// Whether a quick run has enough work for the target. If not, the time to start decides.
    var quickDecides = true
    /// Takes the measurements.
    let measure: @Sendable (Effort) throws -> [Figure]
}

/// How long to measure.
enum Effort {
    case full
    case quick

    /// How many measurements to take the median of.
    var rounds: Int { self == .full ? 7 : 3 }

    /// The number of items: a tenth of `full` in a quick run.
    func count(_ full: Int) -> Int { self == .full ? full : full / 10 }
}

/// One measured figure and its target.
struct Figure: CustomStringConvertible {
    /// Such as `P9 link`.
    let name: String
    /// The figure divided by its baseline.
    let ratio: Double
    /// Such as `<=0.5`, or `<=40 MB`.
    let target: String
    let isMet: Bool
    /// The absolute figures behind the ratio, each with its name and unit.
    let behind: String
    /// Whether other programs ran at the same time, which makes the figure unreliable.
    var isNoisy = false
    /// Whether a missed target means nothing, because the run was too short for it.
    var isUndecided = false

    var description: String {
        let digits = (ratio * 1000).rounded() / 1000
        let result = isUndecided ? "undecided" : isMet ? (isNoisy ? "noisy" : "ok") : "SHORT"
        return "\(name) ratio=\(digits) target\(target) \(result) (\(behind))"
    }
}
