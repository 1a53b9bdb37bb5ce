import Foundation
import RecorderSQLite
import RecorderTestSupport
import Testing

/// Several pages are read at once. No reader may see a difference, and system calls must become few.
@Suite struct ReadAheadTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("test.db") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A connection without a page cache worth mentioning, so that it reads what it needs from the file. With `damaged` access
    /// it uses the system's VFS, as any other program does.
    private func open(_ access: SQLiteConnection.Access) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: access, busyTimeout: 10)
        try connection.execute("PRAGMA cache_size = 10")
        return connection
    }

    private func rows(_ connection: SQLiteConnection) throws -> [Int64: Data] {
        try rest(of: connection.prepare("SELECT id, data FROM t ORDER BY id"))
    }

    private func rest(of select: SQLiteStatement, after first: [Int64: Data] = [:]) throws -> [Int64: Data] {
        var rows = first
        while try select.step() { rows[select.integer(at: 0)] = Data(select.bytes(at: 1)) }
        return rows
    }

    /// Changes the table in one of the ways in which a store changes.
    private func change(_ connection: SQLiteConnection, _ random: inout SeededRandom) throws {
        let put = try connection.prepare("INSERT OR REPLACE INTO t VALUES (?1, ?2)")
        let first = Int64.random(in: 1...200, using: &random)
        let count = Int64.random(in: 1...40, using: &random)
        let largest = Int.random(in: 0..<5, using: &random) == 0 ? 70_000 : 3_000
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try connection.execute("DELETE FROM t")
        case 1: try connection.execute("DELETE FROM t WHERE id BETWEEN \(first) AND \(first + count)")
        default:
            try connection.transaction { () throws(SQLiteError) in
                for id in first..<first + count {
                    let byte = UInt8.random(in: 0...255, using: &random)
                    try put.bind(id, at: 1)
                    try put.run(binding: Data(repeating: byte, count: .random(in: 0...largest, using: &random)), at: 2)
                }
            }
        }
    }

    @Test(arguments: UInt64(1)...6)
    func `a reader sees what others have committed when its transaction begins, and only that until it ends`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed)
        let writers = [try open(.readWrite), try open(.damaged)]
        try writers[0].execute("PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)")
        let (reader, holder) = (try open(.readOnly), try open(.readOnly))
        var held: (select: SQLiteStatement, read: [Int64: Data], expected: [Int64: Data])?
        for _ in 0..<120 {
            let writer = writers[Int.random(in: 0...1, using: &random)]
            try change(writer, &random)
            if Int.random(in: 0..<3, using: &random) == 0 {
                try writer.checkpoint(held == nil && Bool.random(using: &random) ? .truncate : .passive)
            }
            if held == nil, Int.random(in: 0..<10, using: &random) == 0 { try writer.execute("VACUUM") }
            let committed = try rows(writers[1])
            for connection in [reader, writers[0]] { #expect(try rows(connection) == committed) }
            if let old = held {
                guard Bool.random(using: &random) else { continue }
                #expect(try rest(of: old.select, after: old.read) == old.expected)
                try holder.execute("COMMIT")
                held = nil
            } else if Bool.random(using: &random) {
                // Stops in the middle, and goes on after others have written.
                try holder.execute("BEGIN")
                #expect(try holder.integer("SELECT count(*) FROM t") == Int64(committed.count))
                let select = try holder.prepare("SELECT id, data FROM t ORDER BY id")
                var read: [Int64: Data] = [:]
                for _ in 0..<Int.random(in: 0...60, using: &random) where read.count < committed.count {
                    #expect(try select.step())
                    read[select.integer(at: 0)] = Data(select.bytes(at: 1))
                }
                held = (select, read, committed)
            }
        }
    }

    @Test(arguments: UInt64(1)...2)
    func `without a write-ahead log, too, a reader sees what others have committed`(seed: UInt64) throws {
        var random = SeededRandom(seed)
        let writers = [try open(.readWrite), try open(.damaged)]
        try writers[0].execute("CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)")
        let reader = try open(.readOnly)
        for _ in 0..<60 {
            try change(writers[Int.random(in: 0...1, using: &random)], &random)
            let committed = try rows(writers[1])
            for connection in [reader, writers[0]] { #expect(try rows(connection) == committed) }
        }
    }

    @Test func `a transaction reads its own writes, those that left the page cache included`() throws {
        let writer = try open(.readWrite)
        try writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)")
        let put = try writer.prepare("INSERT OR REPLACE INTO t VALUES (?1, ?2)")
        try writer.transaction { () throws(SQLiteError) in
            for round in UInt8(1)...4 {
                for id in Int64(1)...300 {
                    try put.bind(id, at: 1)
                    try put.run(binding: Data(repeating: round, count: 1_000), at: 2)
                }
                let same = "SELECT count(*) FROM t WHERE data = (SELECT data FROM t WHERE id = 1)"
                #expect(try writer.integer(same) == 300)
            }
        }
    }

    @Test func `nothing is read from memory that was cut off the file`() throws {
        let writer = try open(.readWrite)
        try writer.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)")
        let reader = try open(.readOnly)
        for rows in 1...60 {
            try writer.execute("INSERT INTO t (data) VALUES (zeroblob(900))")
            #expect(try self.rows(reader).count == rows)
        }
        #expect(truncate(path, 3 * 4_096) == 0)
        #expect(throws: SQLiteError.self) { try rows(reader) }
    }

    // MARK: - system calls

    /// How many times this thread reads from files while it runs `body`.
    private func reads(_ body: () throws -> Void) throws -> Int {
        func count() throws -> Int {
            let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("syscr:") })
            return try #require(Int(line.dropFirst("syscr: ".count)))
        }
        let start = try count()
        try body()
        return try count() - start
    }

    private static let countsReads = FileManager.default.isReadableFile(atPath: "/proc/thread-self/io")

    /// A connection with a table of about 1,000 pages, which are in the database or in the log.
    private func filled(rowsOf bytes: Int, isInLog: Bool) throws -> SQLiteConnection {
        let writer = try SQLiteConnection(path: path, access: .readWrite)
        try writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)")
        let put = try writer.prepare("INSERT INTO t (data) VALUES (?1)")
        for _ in 0..<8 {
            try writer.transaction { () throws(SQLiteError) in
                for _ in 0..<500_000 / bytes { try put.run(binding: Data(count: bytes), at: 1) }
            }
        }
        if !isInLog { try writer.checkpoint(.truncate) }
        return writer
    }

    @Test(.enabled(if: countsReads), arguments: [1_100, 64_000], [false, true])
    func `reading a table takes far fewer system calls than it has pages`(rowsOf bytes: Int, isInLog: Bool) throws {
        // The last connection to be closed would empty the log.
        let writer = try filled(rowsOf: bytes, isInLog: isInLog)
        defer { withExtendedLifetime(writer) {} }
        let reader = try open(.readOnly)
        for order in ["ASC", "DESC"] {
            let select = try reader.prepare("SELECT id, data FROM t ORDER BY id \(order)")
            var rows = 0
            let count = try reads { rows = try rest(of: select).count }
            #expect(rows == 8 * (500_000 / bytes))
            // Of a large row, the page with its beginning lies apart from the others.
            #expect(count < (bytes > 4_096 ? 200 : 110), "\(order)")
        }
    }

    @Test(.enabled(if: countsReads), arguments: [1_100, 64_000])
    func `emptying a table takes far fewer system calls than it has pages`(rowsOf bytes: Int) throws {
        let other = try filled(rowsOf: bytes, isInLog: false)
        let writer = try open(.readWrite)
        #expect(try reads { try writer.execute("DELETE FROM t") } < (bytes > 4_096 ? 200 : 110))
        #expect(try other.integer("SELECT count(*) FROM t") == 0)
    }
}
