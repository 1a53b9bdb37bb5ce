import RecorderSQLite

/// The ids of a table's rows, as far as damaged pages let SQLite find them.
///
/// A scan ends at a damaged page. It is begun from both ends of the table; what is between two such pages is found from places at
/// doubling distances of either, unless it is less than what is lost beside it.
struct DamagedTable {
    private(set) var ids: Set<Int64> = []
    private let ascending: SQLiteStatement
    private let descending: SQLiteStatement

    init(_ name: String, _ connection: SQLiteConnection) throws(SQLiteError) {
        ascending = try connection.prepare("SELECT rowid FROM \(name) WHERE rowid >= ?1 ORDER BY rowid")
        descending = try connection.prepare("SELECT rowid FROM \(name) WHERE rowid <= ?1 ORDER BY rowid DESC")
    }

    /// Reads the ids. Those of sound rows are in `ranges`, none negative.
    mutating func read(_ ranges: [ClosedRange<Int64>]) throws(SQLiteError) {
        let up = try scan(ascending, from: .min)
        guard !up.isComplete else { return }
        let down = try scan(descending, from: .max)
        guard !down.isComplete else { return }
        for range in ranges {
            try search(
                after: max(range.lowerBound, up.last ?? .min),
                before: min(range.upperBound, down.last ?? .max)
            )
        }
    }

    private struct Scan {
        var hasFound = false
        /// Whether it ended among rows that were known, or at the table's end.
        var isComplete = false
        /// The last row before damage.
        var last: Int64?
    }

    /// So many known rows, one behind the other, are known rows: an altered id may be that of another row.
    private static let fewestKnown = 16

    /// Adds the rows from one place up to damage, or to known ones.
    private mutating func scan(_ statement: SQLiteStatement, from start: Int64) throws(SQLiteError) -> Scan {
        var result = Scan()
        var found: [Int64] = []
        var known = 0
        try statement.bind(start, at: 1)
        while let hasRow = try SQLiteError.ignoringDamage(try statement.step()) {
            guard hasRow, known < Self.fewestKnown else {
                result.isComplete = true
                break
            }
            let id = statement.integer(at: 0)
            known = ids.contains(id) ? known + 1 : 0
            if known == 0 { found.append(id) }
        }
        statement.reset()
        ids.formUnion(found)
        result.hasFound = !found.isEmpty
        for id in found.reversed() where !result.isComplete && result.last == nil {
            if try isInOrder(id) { result.last = id }
        }
        return result
    }

    /// Whether a row is found by its id: an altered id is not in its place.
    private func isInOrder(_ id: Int64) throws(SQLiteError) -> Bool {
        defer { ascending.reset() }
        try ascending.bind(id, at: 1)
        return try SQLiteError.ignoringDamage(try ascending.step()) == true && ascending.integer(at: 0) == id
    }

    /// Adds the rows between two places, at both of which damage ended a scan.
    private mutating func search(after low: Int64, before high: Int64) throws(SQLiteError) {
        var gaps = [(low, high)]
        while let (low, high) = gaps.popLast() {
            for start in Self.starts(between: max(low, 0), high) {
                let up = try scan(ascending, from: start)
                let down = try scan(descending, from: start - 1)
                guard up.hasFound || down.hasFound else { continue }
                if !up.isComplete { gaps.append((up.last ?? start - 1, high)) }
                if !down.isComplete { gaps.append((low, down.last ?? start)) }
                break
            }
        }
    }

    private static func starts(between low: Int64, _ high: Int64) -> [Int64] {
        let distances = (0..<62).map { 1 << Int64($0) }.prefix { $0 < high - low }
        return distances.map { low + $0 } + distances.map { high - $0 }
    }
}
