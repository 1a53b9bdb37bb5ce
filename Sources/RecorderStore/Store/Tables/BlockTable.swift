import RecorderSQLite

/// A table whose rows are blocks: that of a segment, or that of the kept records, each in a block of its own.
struct BlockTable {
    let name: String
    /// How often a row's record failed, and what the numbered keys of its records are made of.
    private let ofRow: String

    init(_ segment: Segment) {
        (name, ofRow) = (segment.table, "0, \(segment.keySource.stored)")
    }

    /// The table of `KeptRecords`, whose rows say both of their own.
    static let kept = BlockTable()

    private init() {
        (name, ofRow) = (KeptRecords.table, "failures, key_source")
    }

    /// What `BlockHead` reads of the blocks that end from ?1 through ?2, in order. The pages of their data are not read.
    var heads: String { "SELECT \(columns) FROM \(name) \(Self.range)" }
    /// The same with what `BlockRecords` reads.
    var blocks: String { "SELECT \(columns), data FROM \(name) \(Self.range)" }

    /// The same for a file in which a column has another name.
    var blocksByOrder: String {
        let names = "id, saved_at, span, number, head, data"
        let all = name == KeptRecords.table ? "\(names), failures, key_source" : names
        return "WITH named (\(all)) AS (SELECT * FROM \(name)) SELECT \(columns), data FROM named \(Self.range)"
    }

    private var columns: String { "id, saved_at, span, number, head, \(ofRow)" }
    private static let range = "WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
}
