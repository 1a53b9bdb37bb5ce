import RecorderAWS
import RecorderConcurrency
import RecorderSQLite

/// What an unexpected error says about the file: that it is damaged, that its counts are wrong, or nothing.
///
/// A file is replaced only if it is proven to be damaged: by SQLite's check of its structure, by a checksum of a record, by what is
/// always there and is missing. A fault of this program, or of another one that changed the file, must not replace a sound
/// file. Counts that contradict the records, which a fault and an altered disk can both cause, are corrected where they are:
/// this loses no record, and everything goes on.
struct StoreExamination {
    enum Finding {
        case damaged
        /// Another process has replaced the file.
        case replaced
        /// Counts were corrected.
        case repaired(Sound)
        case sound(Sound)
    }

    /// A file in which nothing is wrong.
    struct Sound: Sendable {
        private let file: FileIdentity
        /// Triggers, views and indexes of another program.
        private let foreign: [String]
        private let path: String
        /// Until then the file is not examined again: an error that returns at once must not read the whole file each time.
        private let end: ContinuousClock.Instant

        fileprivate init(_ file: FileIdentity, foreign: [String], path: String, since start: ContinuousClock.Instant) {
            (self.file, self.foreign, self.path) = (file, foreign, path)
            end = SystemTime.now + (SystemTime.now - start) * 100
        }

        func isRecent(of file: FileIdentity?) -> Bool { file == self.file && SystemTime.now < end }

        /// The error, with what its reader can do.
        func explain(_ error: RecorderError) -> RecorderError {
            guard case .storage(let message, let cause) = error else { return error }
            let advice =
                foreign.isEmpty
                ? "The file is sound. Report this message as a fault of the recorder."
                : "The file is sound, but not only the recorder's: it has \(foreign.joined(separator: ", ")). "
                    + "Remove that, as in: sqlite3 \(FileRights.quoted(path)) 'DROP \(foreign[0].uppercasedKind)'."
            return .storage("\(message) \(advice)", cause)
        }
    }

    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Examines a file, with no connection of this process open, under the lock between processes.
    func run(_ file: FileIdentity?, before deadline: ContinuousClock.Instant) throws(RecorderError) -> Finding {
        let start = SystemTime.now
        let lock = StoreLock(path: "\(path).lock")
        try lock.lock(before: deadline)
        defer { lock.unlock() }
        guard let file, file == FileIdentity(path) else { return .replaced }
        // SQLite would remove its log.
        if FileState.isEmptied(path) { return .damaged }
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(path: path, access: .readWrite)
            let (verification, foreign) = try connection.transaction(running: try examine(connection))
            if verification.isDamaged { return .damaged }
            let sound = Sound(file, foreign: foreign, path: path, since: start)
            guard verification.failure == nil, !verification.problems.isEmpty else { return .sound(sound) }
            report(verification.problems)
            return .repaired(sound)
        } catch {
            guard error.isCorrupt else { throw StorageErrorMapping.error(error, path: path) }
            return .damaged
        }
    }

    /// Corrects counts if nothing else is wrong.
    private func examine(
        _ connection: SQLiteConnection
    ) throws(SQLiteError) -> (verification: StoreVerification, foreign: [String]) {
        try readTables(of: connection)
        let verification = try StoreVerification(connection)
        let isWrong = !verification.isDamaged && verification.failure == nil && !verification.problems.isEmpty
        if isWrong {
            assert(verification.counts != nil)
            try verification.counts?.write(connection)
            assert((try? StoreVerification(connection))?.problems.isEmpty != false, "still wrong")
        }
        return (verification, try StoreSchema.foreignObjects(in: connection))
    }

    /// Reads the list of tables, which a statement of ours cannot make unreadable.
    private func readTables(of connection: SQLiteConnection) throws(SQLiteError) {
        do throws(SQLiteError) {
            _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
        } catch {
            throw error.isInternal ? .damage(error.message, action: error.action) : error
        }
    }

    private func report(_ problems: [String]) {
        RecorderLog.fault(
            "the counts of \(path) contradicted its records, and were corrected; no record was changed: "
                + "\(problems.joined(separator: "; ")). The disk or the memory of this machine altered them, or it is a fault "
                + "of the recorder: then report this message."
        )
    }
}

extension String {
    /// `TRIGGER name` of `trigger name`.
    fileprivate var uppercasedKind: String {
        let parts = split(separator: " ", maxSplits: 1)
        return "\(parts[0].uppercased()) \(String(parts[1]).quotedForSQL)"
    }
}
