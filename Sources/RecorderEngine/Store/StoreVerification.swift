import RecorderSQLite

/// What a check of a whole store found. The file is only read, in one transaction: what others save meanwhile is not checked.
package struct StoreVerification: Sendable {
    /// What is damaged; empty if the store is sound.
    package private(set) var problems: [String] = []
    /// Whether there are more problems than are listed.
    package private(set) var isTruncated = false
    /// The records that wait, as far as they can be read unaltered; nil if damage ended the check before it had counted them.
    package internal(set) var readable: Readable?

    /// What can be read of a store.
    package struct Readable: Sendable {
        package let records: Int
        /// What the records take, in bytes.
        package let bytes: Int
        /// How many streams the store knows.
        package let streams: Int

        static let nothing = Readable(records: 0, bytes: 0, streams: 0)
    }

    private static let mostProblems = 20

    /// Checks a file that exists. Throws if it cannot be opened for another reason than damage.
    package init(at location: StoreLocation) throws(RecorderError) {
        do {
            let store = try ReadOnlyStore(at: location)
            guard store.format != nil else {
                readable = .nothing
                return
            }
            self = try store.perform(try StoreVerification(of: store))
        } catch {
            guard error.isCorrupt, case .storage(let message, let cause) = error else { throw error }
            add(cause?.message ?? message)
        }
    }

    private init(of store: ReadOnlyStore) throws(SQLiteError) {
        try check("the file") { (self) throws(SQLiteError) in try self.checkIntegrity(store.connection) }
        try check("the streams") { (self) throws(SQLiteError) in
            var check = try RecordVerification(store.connection)
            try check.run(&self)
        }
    }

    mutating func add(_ problem: String) {
        guard !problems.contains(problem) else { return }
        if problems.count < Self.mostProblems { problems.append(problem) } else { isTruncated = true }
    }

    /// Runs a part of the check. Damage that ends it is a problem of `subject`; other errors are thrown.
    mutating func check(
        _ subject: @autoclosure () -> String,
        _ body: (inout StoreVerification) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        do throws(SQLiteError) {
            try body(&self)
        } catch {
            guard error.asDamage.isCorrupt else { throw error }
            add("\(subject()): \(error.message)")
        }
    }

    /// SQLite's own check of pages, rows and indexes.
    private mutating func checkIntegrity(_ connection: SQLiteConnection) throws(SQLiteError) {
        let rows = try connection.prepare("PRAGMA integrity_check(\(Self.mostProblems))")
        while try rows.step() {
            let text = rows.text(at: 0)
            for line in text.split(separator: "\n") where line != "ok" { add("SQLite: \(line)") }
        }
    }
}
