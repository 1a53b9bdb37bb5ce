internal import CRecorderSQLite
internal import Glibc

/// An error of SQLite, and the operation that failed.
package struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// SQLite's extended result code, https://www.sqlite.org/rescode.html
    package let code: Int32
    /// SQLite's message; it never contains a bound value.
    package let message: String
    /// The operation: "opening", or the text of the statement.
    package let action: String

    /// The system's `errno` behind a failed read or write; 0 where there is none.
    package let systemError: Int32

    package init(code: Int32, message: String, action: String, systemError: Int32 = 0) {
        self.code = code
        self.message = message
        self.action = action
        self.systemError = systemError
    }

    /// Content that SQLite could read but that was altered: a checksum is wrong, or what is always there is missing.
    package static func damage(_ message: String, action: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, message: message, action: action)
    }

    /// Content that contradicts other content, `message` says how. It proves no damage: the program may have stored it.
    package static func contradiction(_ message: String, action: String) -> SQLiteError {
        SQLiteError(code: SQLITE_INTERNAL, message: message, action: action)
    }

    /// There is no room for what the operation needs.
    package static func full(action: String) -> SQLiteError {
        SQLiteError(code: SQLITE_FULL, message: "database or disk is full", action: action)
    }

    /// The disk failed, which proves nothing of its files.
    package static func diskFailed(action: String) -> SQLiteError {
        SQLiteError(code: SQLITE_IOERR, message: "disk I/O error", action: action, systemError: EIO)
    }

    /// A file would become larger than this process may write.
    package static func tooLarge(action: String) -> SQLiteError {
        SQLiteError(code: SQLITE_IOERR, message: "file too large", action: action, systemError: EFBIG)
    }

    /// The operation was given up for a reason that is reported elsewhere; its transaction is rolled back.
    package static func aborted(action: String) -> SQLiteError {
        SQLiteError(code: SQLITE_ABORT, message: "given up", action: action)
    }

    /// The primary code: the low byte of the extended one.
    package var primaryCode: Int32 { code & 0xff }

    /// Includes a quota that is used up, and a lack of space for the write-ahead log's shared memory: SQLite reports them like
    /// any other error of input and output.
    package var isDiskFull: Bool {
        primaryCode == SQLITE_FULL || (primaryCode == SQLITE_IOERR && [ENOSPC, EDQUOT].contains(systemError))
    }
    /// Whether a file could not be written to (SQLITE_IOERR_WRITE), perhaps because it would become too large (`ulimit -f`).
    package var isWriteFailure: Bool { code == SQLITE_IOERR | 3 << 8 }
    /// Whether a file ends before what should be in it (SQLITE_IOERR_SHORT_READ).
    package var isShortRead: Bool { code == SQLITE_IOERR | 2 << 8 }
    package var isAborted: Bool { primaryCode == SQLITE_ABORT }
    package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
    /// Whether the cause is the machine's state, or another program, and not the file.
    package var isPassing: Bool {
        isBusy || isCannotOpen || isReadOnly || isDiskFull || [SQLITE_NOMEM, SQLITE_PROTOCOL].contains(primaryCode)
    }
    package var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }
    /// Whether neither the machine nor a damaged file is the cause, as far as the code says: a statement is wrong, or was refused
    /// by a constraint or a trigger, or content is contradictory.
    package var isInternal: Bool {
        [
            SQLITE_ERROR, SQLITE_INTERNAL, SQLITE_SCHEMA, SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH,
            SQLITE_MISUSE, SQLITE_RANGE,
        ].contains(primaryCode)
    }

    /// The value of an expression that reads a damaged database; nil where damage ends the reading. Throws only what will pass.
    package static func ignoringDamage<T>(
        _ read: @autoclosure () throws(SQLiteError) -> T?
    ) throws(SQLiteError) -> T? {
        do throws(SQLiteError) {
            return try read()
        } catch {
            if error.isPassing { throw error }
            return nil
        }
    }

    package var description: String { "SQLite error \(code) while \(action): \(message)" }
}
