import RecorderAWS

/// The files of a store beside each other in its directory: this user's own, no links, and private.
///
/// A database and the files of its log are only looked at and changed by path. To open and close one of them would cancel
/// the locks that SQLite holds on it for this process, and another process could then remove the log that this one
/// writes to, https://www.sqlite.org/howtocorrupt.html
enum StoreFiles {
    /// What the names of the files end with; the first is the database's own.
    static let suffixes = ["", "-wal", "-shm", ".lock", ".submit", ".reserve"]

    /// Refuses what is not ours, and makes private what others may use; called before SQLite opens the database.
    static func secure(_ database: String) throws(RecorderError) {
        for suffix in suffixes {
            let path = "\(database)\(suffix)"
            guard let status = FileStatus(path: path) else { continue }
            try secure(path, status)
        }
    }

    /// The same for a lock that is open, whatever lies at its path by now.
    static func secure(_ path: String, descriptor: Int32) throws(RecorderError) {
        guard let status = FileStatus(descriptor: descriptor) else { return }
        try secure(path, status)
    }

    private static func secure(_ path: String, _ status: FileStatus) throws(RecorderError) {
        if let wrong = FileRights.problem(ofFile: path, status) ?? FileRights.makePrivate(path, status) {
            throw .storage("The record file \(wrong.message)", nil)
        }
    }

    /// What is wrong with a file that could not be opened, where its kind or its owner tells.
    static func refuse(_ path: String) throws(RecorderError) {
        if let status = FileStatus(path: path) { try secure(path, status) }
    }
}
