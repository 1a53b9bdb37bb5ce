import RecorderSQLite

/// Compares a file's tables with those that the program creates.
extension StoreSchema {
    /// What is missing of the tables and columns; this proves damage. What another program added is no problem.
    static func problems(in connection: SQLiteConnection) throws(SQLiteError) -> [String] {
        let model = try SQLiteConnection(path: ":memory:", access: .readWrite)
        try model.execute("\(tables); \(blockTable("block_0"))")
        let required = Set(try names(of: "table", in: model)).subtracting(["block_0"])
        let found = try names(of: "table", in: connection)
        var problems = required.subtracting(found).sorted().map { "table \($0) is missing" }
        for table in found {
            // Another program's table may begin likewise.
            let isNumbered = table.drop { $0 != "_" }.dropFirst().first?.isNumber == true
            let name = table.hasPrefix("block_") && isNumbered ? "block_0" : table
            let expected = try columns(of: name, in: model)
            guard !expected.isEmpty else { continue }
            let columns = try columns(of: table, in: connection)
            problems += expected.subtracting(columns).sorted().map { "table \(table) has no column \($0)" }
        }
        return problems
    }

    /// The triggers, views and indexes that another program added, as `trigger NAME`: the only things that can make a right
    /// statement fail.
    static func foreignObjects(in connection: SQLiteConnection) throws(SQLiteError) -> [String] {
        var found: [String] = []
        for kind in ["trigger", "view", "index"] {
            let names = try names(of: kind, in: connection)
            found += names.filter { !$0.hasPrefix("sqlite_") && $0 != "kept_order" }.map { "\(kind) \($0)" }
        }
        return found
    }

    private static func names(of kind: String, in connection: SQLiteConnection) throws(SQLiteError) -> [String] {
        let rows = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = '\(kind)' ORDER BY name")
        var names: [String] = []
        while try rows.step() { names.append(rows.text(at: 0)) }
        return names
    }

    private static func columns(of table: String, in connection: SQLiteConnection) throws(SQLiteError) -> Set<String> {
        let rows = try connection.prepare("SELECT name FROM pragma_table_info(?1)")
        try rows.bind(table, at: 1)
        var names: Set<String> = []
        while try rows.step() { names.insert(rows.text(at: 0)) }
        return names
    }
}

extension String {
    /// The name of a table or a column, quoted for a statement.
    var quotedForSQL: String { "\"\(replacing("\"", with: "\"\""))\"" }
}
