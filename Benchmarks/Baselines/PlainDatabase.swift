import CRecorderSQLite
import Foundation

/// A database used through SQLite's C functions only. An error ends the program: a baseline must not continue after
/// one.
final class PlainDatabase {
    private let handle: OpaquePointer

    /// Opens or creates the file, with SQLite's default settings.
    init(path: String) {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard code == SQLITE_OK, let opened else {
            fatalError("The baseline cannot open \(path): SQLite error \(code).")
        }
        handle = opened
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    func execute(_ sql: String) {
        check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Compiles a statement, which the caller finalizes.
    func prepare(_ sql: String) -> OpaquePointer {
        var statement: OpaquePointer?
        check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        guard let statement else { fatalError("The baseline has an empty statement: \(sql)") }
        return statement
    }

    /// Runs a statement that returns no row.
    func run(_ statement: OpaquePointer) {
        let code = sqlite3_step(statement)
        guard code == SQLITE_DONE else { return check(code == SQLITE_ROW ? SQLITE_MISUSE : code) }
        sqlite3_reset(statement)
    }

    private func check(_ code: Int32) {
        guard code != SQLITE_OK else { return }
        fatalError("The baseline failed: SQLite error \(code), \(String(cString: sqlite3_errmsg(handle))).")
    }
}
