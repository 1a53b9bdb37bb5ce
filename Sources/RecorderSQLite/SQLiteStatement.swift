internal import CRecorderSQLite
package import FoundationEssentials

/// A compiled statement: bind, step, read columns, reset.
///
/// Parameters count from 1 and columns from 0, as in SQLite. Not Sendable: it belongs to its connection.
package final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: SQLiteConnection
    private let sql: String

    init(_ handle: OpaquePointer, of connection: SQLiteConnection, sql: String) {
        self.handle = handle
        self.connection = connection
        self.sql = sql
    }

    deinit {
        sqlite3_finalize(handle)
    }

    package func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
        try connection.check(sqlite3_bind_int64(handle, index, value), while: sql)
    }

    /// Binds a copy of `text`.
    package func bind(_ text: String, at index: Int32) throws(SQLiteError) {
        var text = text
        let code = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { bytes in
                // An empty buffer may have no address, and a nil address binds NULL.
                bytes.isEmpty
                    ? recorder_sqlite3_bind_text(handle, index, "", 0)
                    : recorder_sqlite3_bind_text(handle, index, bytes.baseAddress, Int32(bytes.count))
            }
        }
        try connection.check(code, while: sql)
    }

    /// Runs the statement to its end with `bytes` bound at `index`, without copying them, and resets it.
    package func run(binding bytes: Data, at index: Int32) throws(SQLiteError) {
        let code = bytes.withUnsafeBytes { bytes in
            let code = bind(inPlace: bytes, at: index)
            return code == SQLITE_OK ? runAndClear() : code
        }
        try connection.check(code, while: sql)
    }

    /// The same for bytes at `index` and further bytes at the next index.
    package func run(binding first: [UInt8], _ second: [UInt8], at index: Int32) throws(SQLiteError) {
        let code = first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                let code = bind(inPlace: first, at: index)
                guard code == SQLITE_OK else { return code }
                let secondCode = bind(inPlace: second, at: index + 1)
                return secondCode == SQLITE_OK ? runAndClear() : secondCode
            }
        }
        try connection.check(code, while: sql)
    }

    /// Binds the caller's bytes without copying them; clear the binding before they are freed.
    private func bind(inPlace bytes: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        bytes.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : recorder_sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count))
    }

    private func runAndClear() -> Int32 {
        let code = sqlite3_step(handle)
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        return code
    }

    /// Runs the statement to its end and resets it.
    package func run() throws(SQLiteError) {
        let code = sqlite3_step(handle)
        sqlite3_reset(handle)
        try connection.check(code, while: sql)
    }

    /// Moves to the next row. If there is none, resets the statement and returns false.
    package func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        sqlite3_reset(handle)
        try connection.check(code, while: sql)
        return false
    }

    /// Ends a query before its last row; this also ends its read transaction.
    package func reset() {
        sqlite3_reset(handle)
    }

    package func integer(at column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    package func isNull(at column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// A text with all its characters; U+0000 does not end it.
    package func text(at column: Int32) -> String {
        // The pointer first, then the length: https://www.sqlite.org/c3ref/column_blob.html
        let start = sqlite3_column_text(handle, column)
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of a text or blob column, valid until the next step, reset or run.
    package func bytes(at column: Int32) -> UnsafeRawBufferPointer {
        // The pointer first, then the length: https://www.sqlite.org/c3ref/column_blob.html
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}

@available(*, unavailable)
extension SQLiteStatement: Sendable {}
