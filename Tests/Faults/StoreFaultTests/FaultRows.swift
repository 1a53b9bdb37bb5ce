import Foundation
import Testing

/// The store's guarantees under crashes and faults, one test per row of RELIABILITY.md, run one at a time.
///
/// Counts are small by default. `STRESS=full` runs the published counts; `STRESS=some` multiplies them by
/// `STRESS_COUNT` and the durations by `STRESS_TIME` (0.1: a tenth). Every row prints its seed and its figures.
/// `FAULT_SEED` repeats a run; small runs always use the same seed. Only the long runs assert speed and throughput,
/// which a busy machine distorts.
@Suite(.serialized) enum FaultRows {
    private static let stress = ProcessInfo.processInfo.environment["STRESS"]
    static let isFull = stress == "full"
    /// Whether rows that mostly wait are run.
    static let isLongRun = stress != nil

    static let seed =
        ProcessInfo.processInfo.environment["FAULT_SEED"].flatMap(UInt64.init)
        ?? (isLongRun ? UInt64.random(in: 1...999_999) : 20_261_120)

    /// A row's count: the full one only with `STRESS=full`.
    static func count(_ small: Int, full: Int) -> Int {
        if isFull { return full }
        return isLongRun ? max(small, Int(Double(full) * factor("STRESS_COUNT"))) : small
    }

    /// How long a row lasts, in seconds; a tenth of the full time unless `STRESS_TIME` says otherwise.
    static func seconds(_ small: Int, full: Int) -> Int {
        isLongRun ? max(small, Int(Double(full) * factor("STRESS_TIME"))) : small
    }

    private static func factor(_ name: String) -> Double {
        ProcessInfo.processInfo.environment[name].flatMap(Double.init) ?? 0.1
    }

    /// The limit for what must happen at once: a second, and much more when other tests run on a busy machine.
    static let promptLimit = Duration.seconds(isLongRun ? 1 : 50)

    /// Prints one line of figures, for the published table.
    static func report(_ row: String, _ figures: KeyValuePairs<String, Any>) {
        print(row, "seed=\(seed)", figures.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
    }
}
