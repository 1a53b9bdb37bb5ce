import Foundation
import RecorderSQLite
import RecorderTestSupport
import Testing

@Suite struct SQLiteConnectionTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("test.db") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(_ access: SQLiteConnection.Access = .readWrite) throws -> SQLiteConnection {
        try SQLiteConnection(path: path, access: access, busyTimeout: 10)
    }

    @Test func `bound values are read back unchanged, including empty and non-ASCII ones`() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE t (number INTEGER, name TEXT NOT NULL, data BLOB NOT NULL)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3)")
        let rows: [(Int64, String, Data)] = [
            (0, "", Data()), (.min, "🦆 ' \" ; --", Data([0, 255, 0])), (.max, "x", Data(count: 100_000)),
        ]
        for (number, name, data) in rows {
            try insert.bind(number, at: 1)
            try insert.bind(name, at: 2)
            try insert.run(binding: data, at: 3)
        }
        let select = try connection.prepare("SELECT number, name, data FROM t ORDER BY rowid")
        for (number, name, data) in rows {
            let hasRow = try select.step()
            #expect(hasRow)
            #expect(select.integer(at: 0) == number)
            #expect(select.text(at: 1) == name)
            #expect(Data(select.bytes(at: 2)) == data)
        }
        let hasMore = try select.step()
        #expect(!hasMore)
    }

    @Test func `a transaction that fails changes nothing, and the next one works`() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE t (x UNIQUE)")
        #expect(throws: SQLiteError.self) {
            try connection.transaction { () throws(SQLiteError) in
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
        try connection.transaction { () throws(SQLiteError) in try connection.execute("INSERT INTO t VALUES (2)") }
        #expect(try connection.integer("SELECT x FROM t") == 2)
    }

    @Test func `an error contains code, message and statement, and no bound value`() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE t (x UNIQUE)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
        try insert.bind("secret", at: 1)
        try insert.run()
        let error = #expect(throws: SQLiteError.self) { try insert.run() }
        #expect(error?.primaryCode == 19)
        #expect(error?.description.contains("INSERT INTO t") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `another connection's write lock is a busy error after the timeout`() throws {
        let first = try open()
        try first.execute("CREATE TABLE t (x)")
        let second = try open()
        try first.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: SQLiteError.self) { try second.execute("BEGIN IMMEDIATE") }
        #expect(error?.isBusy == true)
        try first.execute("COMMIT")
        try second.execute("BEGIN IMMEDIATE")
    }

    @Test func `the log is counted in pages, and a truncating checkpoint empties it`() throws {
        let connection = try open()
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("CREATE TABLE t (x)")
        #expect(connection.walPages > 0)
        try connection.checkpoint(.truncate)
        #expect(connection.walPages == 0)
        let size = try FileManager.default.attributesOfItem(atPath: "\(path)-wal")[.size] as? Int
        #expect(size == 0)
    }

    @Test func `a symbolic link is not followed, and a file that is not a database is reported as damaged`() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path("target"))
        #expect(throws: SQLiteError.self) { try open() }
        #expect(!FileManager.default.fileExists(atPath: directory.path("target")))
        let garbage = directory.path("garbage")
        try Data("no database at all, but long enough to be looked at".utf8).write(to: URL(fileURLWithPath: garbage))
        let error = #expect(throws: SQLiteError.self) {
            try SQLiteConnection(path: garbage, access: .readWrite).execute("CREATE TABLE t (x)")
        }
        #expect(error?.isCorrupt == true)
    }

    @Test func `a write on a read-only connection is a read-only error`() throws {
        try open().execute("CREATE TABLE t (x)")
        let error = try #require(
            #expect(throws: SQLiteError.self) { try open(.readOnly).execute("INSERT INTO t VALUES (1)") }
        )
        #expect(error.isReadOnly)
    }
}
