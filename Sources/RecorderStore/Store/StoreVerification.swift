import RecorderSQLite

/// What a check of a whole store found. The file is only read, in one transaction: what others save meanwhile is not checked.
package struct StoreVerification: Sendable {
    /// What is wrong; empty if the store is sound.
    package private(set) var problems: [String] = []
    /// Whether there are more problems than are listed.
    package private(set) var isTruncated = false
    /// The records that wait, as far as they can be read unaltered; nil if damage ended the check before it had counted them.
    package internal(set) var readable: Readable?
    /// Whether a problem proves that the file is damaged. Counts that contradict records prove nothing: a fault of the program can
    /// be the cause.
    private(set) var isDamaged = false
    /// The error that ended a part of the check and proves no damage.
    private(set) var failure: SQLiteError?
    /// What the counts must be; nil for a file without counts, or if the check was ended before they were known.
    var counts: StoreCounts?

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
            guard !store.isEmpty else {
                readable = .nothing
                return
            }
            self = try store.perform(try StoreVerification(store.connection))
        } catch {
            guard error.isCorrupt, case .storage(let message, let cause) = error else { throw error }
            addDamage(cause?.message ?? message)
        }
    }

    /// Checks an open file, in a transaction of the caller.
    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        try check("the file") { (self) throws(SQLiteError) in try self.checkIntegrity(connection) }
        try check("the tables") { (self) throws(SQLiteError) in
            for problem in try StoreSchema.problems(in: connection) { self.addDamage(problem) }
        }
        try check("the streams") { (self) throws(SQLiteError) in
            var check = try RecordVerification(connection)
            try check.run(&self)
        }
    }

    /// Adds a problem that proves damage.
    mutating func addDamage(_ problem: String) {
        isDamaged = true
        add(problem)
    }

    /// Adds a problem that proves nothing.
    mutating func add(_ problem: String) {
        guard !problems.contains(problem) else { return }
        if problems.count < Self.mostProblems { problems.append(problem) } else { isTruncated = true }
    }

    /// Runs a part of the check. Content that ends it is a problem of `subject`; errors of the machine are thrown.
    mutating func check(
        _ subject: @autoclosure () -> String,
        _ body: (inout StoreVerification) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        do throws(SQLiteError) {
            try body(&self)
        } catch {
            let problem = "\(subject()): \(error.message)"
            if error.isCorrupt {
                addDamage(problem)
            } else if error.isInternal {
                failure = failure ?? error
                add(problem)
            } else {
                throw error
            }
        }
    }

    /// SQLite's own check of pages, rows and indexes.
    private mutating func checkIntegrity(_ connection: SQLiteConnection) throws(SQLiteError) {
        let rows = try connection.prepare("PRAGMA integrity_check(\(Self.mostProblems))")
        var lines: [Substring] = []
        while try rows.step() { lines += rows.text(at: 0).split(separator: "\n").filter { $0 != "ok" } }
        guard !lines.contains(where: Self.saysUnread) else {
            throw SQLiteError.diskFailed(action: "checking pages")
        }
        for line in lines { addDamage("SQLite: \(line)") }
    }

    /// Whether a line says that a page could not be read, after which SQLite's check goes on: a sound file would seem to be
    /// damaged.
    private static func saysUnread(_ line: Substring) -> Bool {
        ["failed to get page", "unable to get the page"].contains { line.firstRange(of: $0) != nil }
    }
}
