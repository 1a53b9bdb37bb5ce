import Foundation
import Testing

/// What the store promises under crashes and faults, one law a row, one row at a time.
///
/// Counts are small by default; `STRESS=full` runs the figures that are published, `STRESS=some` the parts of them that
/// `STRESS_COUNT` and `STRESS_TIME` ask for (0.1: a tenth). Every row prints its seed and its figures; `FAULT_SEED` repeats
/// a run, and small runs always take the same seed.
@Suite(.serialized) enum FaultRows {
    private static let stress = ProcessInfo.processInfo.environment["STRESS"]
    static let isFull = stress == "full"
    /// Whether there is time for rows that mostly wait.
    static let isPatient = stress != nil

    static let seed =
        ProcessInfo.processInfo.environment["FAULT_SEED"].flatMap(UInt64.init)
        ?? (isPatient ? UInt64.random(in: 1...999_999) : 20_261_120)

    /// A row's count: the full one only when that was asked for.
    static func count(_ small: Int, full: Int) -> Int { scaled(small, full, by: "STRESS_COUNT") }

    /// How long a row lasts, in seconds.
    static func seconds(_ small: Int, full: Int) -> Int { scaled(small, full, by: "STRESS_TIME") }

    private static func scaled(_ small: Int, _ full: Int, by name: String) -> Int {
        guard isPatient, !isFull else { return isFull ? full : small }
        let factor = ProcessInfo.processInfo.environment[name].flatMap(Double.init) ?? 0.1
        return max(small, Int(Double(full) * factor))
    }

    /// One line of figures, for the published table.
    static func report(_ row: String, _ figures: KeyValuePairs<String, Any>) {
        print(row, "seed=\(seed)", figures.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
    }
}

/// SplitMix64: the same numbers for the same seed, everywhere.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
