extension Array where Element: BinaryFloatingPoint {
    var median: Element { percentile(50) }

    /// The smallest value that `percent` of all values do not exceed.
    func percentile(_ percent: Int) -> Element {
        precondition(!isEmpty, "An empty array has no percentile.")
        let rank = (count * percent + 99) / 100
        return sorted()[Swift.max(0, rank - 1)]
    }
}

/// Measurements of several kinds, taken in turns, so that other load affects all of them.
struct Rounds<Value> {
    /// One value a round, for each kind.
    private(set) var values: [[Value]]

    /// The usual number of rounds for a median.
    static var usual: Int { 5 }

    init(_ count: Int, kinds: Int, measure: (_ kind: Int) throws -> Value) rethrows {
        values = Array(repeating: [], count: kinds)
        for round in 0..<count {
            // Each goes first in turns: the later ones find warmer caches and a busier disk.
            let order = round.isMultiple(of: 2) ? Array(0..<kinds) : (0..<kinds).reversed()
            for kind in order { values[kind].append(try measure(kind)) }
        }
    }
}

/// Our measurements and the baseline's, taken alternately.
struct Pairs {
    let ours: [Double]
    let baseline: [Double]

    /// The usual number of pairs for a median.
    static let usual = Rounds<Double>.usual

    init(_ count: Int = usual, ours: () throws -> Double, baseline: () throws -> Double) rethrows {
        let rounds = try Rounds(count, kinds: 2) { try $0 == 0 ? ours() : baseline() }
        self.init(ours: rounds.values[0], baseline: rounds.values[1])
    }

    init(ours: [Double], baseline: [Double]) {
        self.ours = ours
        self.baseline = baseline
    }

    /// The median of ours divided by the baseline's, pair by pair.
    var ratio: Double { zip(ours, baseline).map { $0 / $1 }.median }
}
