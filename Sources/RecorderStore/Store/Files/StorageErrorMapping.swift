import Glibc
import RecorderAWS
import RecorderSQLite

/// Turns errors of SQLite and the system into texts that tell a user what to do.
enum StorageErrorMapping {
    /// The engine's error for an SQLite error. The store's connections throw `SQLiteError`; it is translated where the store
    /// is left.
    static func error(_ error: SQLiteError, path: String) -> RecorderError {
        .storage(message(error, path: path), error)
    }

    /// A file without a byte, which had some: SQLite would take it for a new one.
    static func emptied(_ path: String) -> RecorderError {
        error(.damage("the file is empty, and was not when it was used last", action: "opening"), path: path)
    }

    /// Runs an expression that uses SQLite, and translates its error.
    static func translating<T>(
        path: String,
        _ body: @autoclosure () throws(SQLiteError) -> T
    ) throws(RecorderError) -> T {
        do {
            return try body()
        } catch {
            throw Self.error(error, path: path)
        }
    }

    static func message(_ error: SQLiteError, path: String) -> String {
        if error.isDiskFull {
            return "The disk is full; nothing was written to \(path). Free some space and try again."
        }
        if error.systemError == EFBIG {
            return "A file of \(path) would become larger than this process may write. Raise its limit (ulimit -f, "
                + "LimitFSIZE=)."
        }
        if let advice = PathDiagnosis.descriptorAdvice(for: error.systemError) {
            return "\(path) cannot be opened: \(advice)"
        }
        if error.isReadOnly { return "\(path) is read-only. Make it and its directory writable for this user." }
        if error.isCannotOpen { return "\(path) cannot be opened\(cause(path))" }
        if error.isCorrupt { return "\(path) is damaged (\(error.message))." }
        if error.isInternal { return internalMessage(error, path: path) }
        if error.isBusy {
            // SQLite calls a file system without locks busy, too.
            return StoreLock.obstacle(at: "\(path).lock")
                ?? "\(path) is locked by another process. Try again, or stop that process."
        }
        return "\(path): \(error)"
    }

    private static func internalMessage(_ error: SQLiteError, path: String) -> String {
        let action = error.action.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "internal error: \(path) was left as it is, and its records are kept, but an operation failed: "
            + "\(error.message) (SQLite error \(error.code), while: \(action))."
    }

    /// Why a file cannot be locked, where no other process holds the lock.
    static func lockMessage(_ number: Int32, path: String) -> String {
        let remedy =
            number == ENOLCK
            ? "This file system has no locks, as NFS without its lock service (rpc.statd). Use a directory on a local disk."
            : "Use another directory."
        return "\(path) cannot be locked: \(String(errorNumber: number)). \(remedy)"
    }

    /// Why SQLite cannot open a file. Its own message is only "unable to open database file".
    private static func cause(_ path: String) -> String {
        if let obstacle = PathDiagnosis.obstacle(in: path) {
            return ": \(obstacle). Fix that, or use another directory."
        }
        if let wrong = FileStatus(path: path).flatMap({ FileRights.problem(ofFile: path, $0) }) {
            return ": \(wrong.message)"
        }
        return ". Check the permissions of its directory."
    }

    /// The system's text for an `errno`, and what to do about it.
    static func advice(for number: Int32, otherwise remedy: String) -> String {
        PathDiagnosis.descriptorAdvice(for: number) ?? "\(String(errorNumber: number)). \(remedy)"
    }
}
