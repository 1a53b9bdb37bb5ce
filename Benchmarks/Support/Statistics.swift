extension Array where Element: BinaryFloatingPoint {
    var median: Element { percentile(50) }

    /// The smallest value that `percent` of all values do not exceed.
    func percentile(_ percent: Int) -> Element {
        precondition(!isEmpty, "An empty array has no percentile.")
        let rank = (count * percent + 99) / 100
        return sorted()[Swift.max(0, rank - 1)]
    }
}

/// Our measurements and the baseline's, taken alternately, so that other load affects both.
struct Pairs {
    private(set) var ours: [Double] = []
    private(set) var baseline: [Double] = []

    /// The usual number of pairs for a median.
    static let usual = 5

    init(_ count: Int = usual, ours: () throws -> Double, baseline: () throws -> Double) rethrows {
        for round in 0..<count {
            // Each goes first half of the time: the second finds warmer caches and a busier disk.
            if round.isMultiple(of: 2) {
                self.ours.append(try ours())
                self.baseline.append(try baseline())
            } else {
                self.baseline.append(try baseline())
                self.ours.append(try ours())
            }
        }
    }

    /// The median of ours divided by the baseline's, pair by pair.
    var ratio: Double { zip(ours, baseline).map { $0 / $1 }.median }
}
