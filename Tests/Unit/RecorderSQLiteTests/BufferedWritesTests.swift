import Foundation
import RecorderSQLite
import RecorderTestSupport
import Testing

/// Writes of commits and checkpoints are coalesced before they reach the file. No reader may see a difference.
@Suite struct BufferedWritesTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("test.db") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The sizes of all rows, as one text.
    private func rows(_ connection: SQLiteConnection) throws -> String {
        let select = try connection.prepare("SELECT id || ':' || length(data) || ':' || sum FROM t ORDER BY id")
        var found: [String] = []
        while try select.step() { found.append(select.text(at: 0)) }
        return found.joined(separator: " ")
    }

    private func check(_ connection: SQLiteConnection) throws {
        let check = try connection.prepare("PRAGMA integrity_check")
        #expect(try check.step())
        #expect(check.text(at: 0) == "ok")
    }

    @Test(arguments: UInt64(1)...4)
    func `with commits and checkpoints of any size, each reader sees exactly what was committed`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed)
        let writer = try SQLiteConnection(path: path, access: .readWrite)
        try writer.execute("PRAGMA journal_mode = WAL")
        try writer.execute("PRAGMA synchronous = FULL")
        try writer.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, sum INTEGER, data BLOB)")
        let fresh = try SQLiteConnection(path: path, access: .readOnly)
        let holder = try SQLiteConnection(path: path, access: .readOnly)
        let put = try writer.prepare("INSERT OR REPLACE INTO t VALUES (?1, ?2, ?3)")
        var held: String?
        for step in 0..<150 {
            try writer.transaction { () throws(SQLiteError) in
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    let size = Int.random(in: 0...(step.isMultiple(of: 9) ? 60_000 : 2_000), using: &random)
                    try put.bind(Int64.random(in: 1...400, using: &random), at: 1)
                    try put.bind(Int64(step), at: 2)
                    try put.run(binding: Data(repeating: UInt8(step), count: size), at: 3)
                }
            }
            let committed = try rows(writer)
            #expect(try rows(fresh) == committed)
            if let old = held {
                // A reader of old pages limits the checkpoints, and keeps its snapshot.
                #expect(try rows(holder) == old)
                if Bool.random(using: &random) {
                    try holder.execute("COMMIT")
                    held = nil
                }
            } else if Int.random(in: 0..<4, using: &random) == 0 {
                try holder.execute("BEGIN")
                held = try rows(holder)
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                try writer.checkpoint(held == nil && Bool.random(using: &random) ? .truncate : .passive)
                #expect(try rows(fresh) == committed)
            }
        }
        try check(fresh)
        if held != nil { try holder.execute("COMMIT") }
        try writer.checkpoint(.truncate)
        let committed = try rows(writer)
        // Without the log: everything is in the database.
        let copy = directory.path("copy.db")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let copied = try SQLiteConnection(path: copy, access: .readOnly)
        try check(copied)
        #expect(try rows(copied) == committed)
    }

    @Test func `a commit is in the files when it returns, for any process that reads them`() throws {
        let writer = try SQLiteConnection(path: path, access: .readWrite)
        try writer.execute("PRAGMA journal_mode = WAL")
        try writer.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, sum INTEGER, data BLOB)")
        let put = try writer.prepare("INSERT INTO t VALUES (?1, 0, ?2)")
        for id in 1...20 {
            try writer.transaction { () throws(SQLiteError) in
                try put.bind(Int64(id), at: 1)
                try put.run(binding: Data(count: id * 10_000), at: 2)
            }
            // The files that a process would leave behind if it died now.
            let copy = directory.path("copy\(id).db")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy + "-wal")
            let copied = try SQLiteConnection(path: copy, access: .readWrite)
            #expect(try copied.integer("SELECT count(*) FROM t") == Int64(id))
        }
    }
}
