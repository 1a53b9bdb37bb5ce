import Foundation
import Testing

/// What the store promises under crashes and faults, one law a row, one row at a time.
///
/// Counts are small by default; `STRESS=full` runs the figures that are published, `STRESS=some` the part of them that
/// `STRESS_COUNT` asks for (0.1: a tenth), for the part of the time that `STRESS_TIME` asks for. Every row prints its seed
/// and its figures; `FAULT_SEED` repeats a run, and small runs always take the same seed. What a busy machine can spoil is
/// asserted by the long runs alone: how fast something is, how much was done in a time.
@Suite(.serialized) enum FaultRows {
    private static let stress = ProcessInfo.processInfo.environment["STRESS"]
    static let isFull = stress == "full"
    /// Whether there is time for rows that mostly wait.
    static let isPatient = stress != nil

    static let seed =
        ProcessInfo.processInfo.environment["FAULT_SEED"].flatMap(UInt64.init)
        ?? (isPatient ? UInt64.random(in: 1...999_999) : 20_261_120)

    /// A row's count: the full one only when that was asked for.
    static func count(_ small: Int, full: Int) -> Int {
        if isFull { return full }
        return isPatient ? max(small, Int(Double(full) * factor("STRESS_COUNT"))) : small
    }

    /// How long a row lasts, in seconds; a tenth of the full time unless `STRESS_TIME` says otherwise.
    static func seconds(_ small: Int, full: Int) -> Int {
        isPatient ? max(small, Int(Double(full) * factor("STRESS_TIME"))) : small
    }

    private static func factor(_ name: String) -> Double {
        ProcessInfo.processInfo.environment[name].flatMap(Double.init) ?? 0.1
    }

    /// The longest that what is done at once may take: a second, and much more beside other tests on a busy machine.
    static let atOnce = Duration.seconds(isPatient ? 1 : 50)

    /// One line of figures, for the published table.
    static func report(_ row: String, _ figures: KeyValuePairs<String, Any>) {
        print(row, "seed=\(seed)", figures.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
    }
}
