internal import CRecorderSQLite
internal import Glibc

/// What SQLite answered, and what it was asked to do.
package struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// SQLite's extended result code, https://www.sqlite.org/rescode.html
    package let code: Int32
    /// SQLite's own words; never holds a bound value.
    package let message: String
    /// What was being done: "opening", or the text of the statement.
    package let action: String

    /// The system's `errno` behind a failed read or write; 0 where there is none.
    package let systemError: Int32

    package init(code: Int32, message: String, action: String, systemError: Int32 = 0) {
        self.code = code
        self.message = message
        self.action = action
        self.systemError = systemError
    }

    /// The error as damage if it says that a table is missing which must be there.
    package var asDamage: SQLiteError {
        primaryCode == SQLITE_ERROR ? .damage(message, action: action) : self
    }

    /// What SQLite could read all right, and yet cannot be.
    package static func damage(_ message: String, action: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, message: message, action: action)
    }

    /// The primary code: the low byte of the extended one.
    package var primaryCode: Int32 { code & 0xff }

    /// Also when the shared memory of the write-ahead log finds no space, which is SQLITE_IOERR_SHMSIZE to SQLite, as is
    /// any other trouble there.
    package var isDiskFull: Bool {
        primaryCode == SQLITE_FULL || (code == SQLITE_IOERR | 19 << 8 && [ENOSPC, EDQUOT].contains(systemError))
    }
    package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
    package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }
    package var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    package var description: String { "SQLite error \(code) while \(action): \(message)" }
}
