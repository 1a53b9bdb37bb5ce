import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct StoreTests {
    @Test func `an acknowledged record is there when the store is opened again`() async throws {
        let first = try PipelineHarness()
        try await first.save("kept")
        let second = try PipelineHarness(in: first.directory)
        #expect(try second.records() == 1)
        #expect(try second.storedTexts() == ["kept"])
    }

    @Test func `bytes count payload, partition key and 64 for each record, and an empty store is 0`() async throws {
        let harness = try PipelineHarness()
        #expect(try harness.pipeline.totals().bytes == 0)
        try await harness.save("12345", key: "ключ")
        #expect(try harness.pipeline.totals().bytes == 5 + 8 + 64)
    }

    @Test func `clearing removes records saved before the call and none saved after it`() async throws {
        let harness = try PipelineHarness()
        for number in 0..<50 { harness.pipeline.save(Data([UInt8(number)]), stream: "s", partitionKey: nil) { _ in } }
        async let cleared = harness.clear()
        #expect(try await cleared == 50)
        try await harness.save("after")
        #expect(try harness.storedTexts() == ["after"])
    }

    @Test func `the saved count is the sum of stored, delivered, discarded and cleared`() async throws {
        let harness = try PipelineHarness { $0.limits.bytes = 1_000 }
        for number in 0..<20 { try await harness.save("record \(number)", to: "s\(number % 2)") }
        _ = try await harness.clear()
        for number in 0..<3 { try await harness.save("record \(number)") }
        let totals = try harness.pipeline.totals()
        #expect(totals.saved == 23)
        #expect(totals.saved == totals.records + totals.delivered + totals.discarded + totals.cleared)
        #expect(totals.discarded > 0 && totals.cleared > 0)
    }

    @Test func `files are private, whatever the umask`() async throws {
        let harness = try PipelineHarness()
        try await harness.save("x")
        for name in try FileManager.default.contentsOfDirectory(atPath: harness.directory.path) {
            let rights = try FileManager.default.attributesOfItem(atPath: harness.directory.path(name))[
                .posixPermissions
            ]
            #expect((rights as? NSNumber)?.intValue == 0o600, "\(name)")
        }
    }

    @Test func `a save after the file was deleted goes to a new file`() async throws {
        let harness = try PipelineHarness()
        try await harness.save("in the deleted file")
        for name in try FileManager.default.contentsOfDirectory(atPath: harness.directory.path) {
            try FileManager.default.removeItem(atPath: harness.directory.path(name))
        }
        try await harness.save("in the new file")
        #expect(try harness.storedTexts() == ["in the new file"])
        #expect(try harness.records() == 1)
    }

    @Test(arguments: ["moved", "moved without its log", "removed"])
    func `a store that is moved or removed while it is open says once what becomes of its records`(how: String)
        async throws
    {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [how] in
            let directory = try TemporaryDirectory()
            let store = directory.path("store")
            let harness = try PipelineHarness(url: nil, in: directory, at: store)
            for text in ["1", "2"] { try await harness.save(text) }
            let moved = directory.path("moved")
            switch how {
            case "moved": #expect(rename(store, moved) == 0)
            case "removed": try FileManager.default.removeItem(atPath: store)
            default:
                #expect(mkdir(moved, 0o700) == 0)
                #expect(rename("\(store)/kinesis.db", "\(moved)/kinesis.db") == 0)
            }
            for text in ["3", "4"] { try await harness.save(text) }
            #expect(try harness.storedTexts() == ["3", "4"])
            if how != "removed" {
                let other = try PipelineHarness(url: nil, in: directory, at: moved)
                // The log took the save that was on its way as the file was moved; it is in the new file, too.
                #expect(try other.storedTexts() == (how == "moved" ? ["1", "2"] : ["1", "2", "3"]))
            }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let expected =
            switch how {
            case "removed": "its 2 records are lost"
            case "moved": "/moved/kinesis.db while it was open: its 2 records stay there"
            default: "/moved/kinesis.db while it was open: its 3 records stay there"
            }
        let warnings = text.split(separator: "\n").filter { $0.contains("warning") }
        #expect(warnings.count == 1 && text.contains(expected), "\(text)")
    }

    @Test func `what was delivered is not in a file that is moved without its log`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let directory = try TemporaryDirectory()
        let (store, moved) = (directory.path("store"), directory.path("moved"))
        let harness = try PipelineHarness(to: server, in: directory, at: store)
        try await harness.save("1")
        // From now on the file has the record, and the log that it is settled.
        try SQLiteConnection(path: harness.path, access: .readWrite).execute("PRAGMA wal_checkpoint(PASSIVE)")
        #expect(try await harness.flush().delivered == 1)
        #expect(mkdir(moved, 0o700) == 0)
        #expect(rename("\(store)/kinesis.db", "\(moved)/kinesis.db") == 0)
        try await harness.save("2")
        #expect(try harness.storedTexts() == ["2"])
        // The save that was on its way as the file was moved may be in its log, unless that was closed before.
        #expect(try !PipelineHarness(in: directory, at: moved).storedTexts().contains("1"))
    }

    @Test func `the bytes of all streams add up to the bytes of the store`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { $0 == "kept" ? "InternalFailure" : nil } }
        let harness = try PipelineHarness(to: server) { $0.discardsAfterFailures = nil }
        for text in ["kept", "delivered", "delivered too"] {
            for stream in ["a", "b"] { try await harness.save(text, to: stream) }
        }
        func bytes(_ rows: String) throws -> Int64? {
            try SQLiteConnection(path: harness.path, access: .readOnly)
                .integer("SELECT sum(bytes) FROM stream WHERE \(rows)")
        }
        #expect(try bytes("number > 0") == bytes("number = 0"))
        #expect(try bytes("name = 'a'") == bytes("name = 'b'"))
        _ = try? await harness.flush()
        #expect(try harness.records() == 2)
        #expect(try bytes("number > 0") == bytes("number = 0"))
    }

    @Test(arguments: [
        ("user_version = 99", "another version"),
        ("application_id = 1096242002; PRAGMA user_version = 4", "first release"),
    ])
    func `a store of another version is refused with that reason, and left unchanged`(change: String, reason: String)
        async throws
    {
        let harness = try PipelineHarness()
        try await harness.save("kept")
        do {
            let connection = try SQLiteConnection(path: harness.path, access: .readWrite)
            try connection.execute("PRAGMA \(change)")
            try connection.checkpoint(.truncate)
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: harness.path))
        let later = try PipelineHarness(in: harness.directory)
        let error = await #expect(throws: RecorderError.self) { try await later.save("refused") }
        #expect(error?.message.contains(reason) == true)
        #expect(throws: RecorderError.self) {
            try StoreContents(at: .init(directory: harness.directory.path, fileName: "kinesis.db"))
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: harness.path)) == before)
    }

    @Test func `another program's database is refused and left unchanged`() async throws {
        let harness = try PipelineHarness()
        do {
            let connection = try SQLiteConnection(path: harness.path, access: .readWrite)
            try connection.execute("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
        }
        let error = await #expect(throws: RecorderError.self) { try await harness.save("refused") }
        #expect(error?.message.contains("other program") == true)
        let connection = try SQLiteConnection(path: harness.path, access: .readOnly)
        #expect(try connection.integer("SELECT x FROM theirs") == 1)
    }

    @Test func `a symbolic link at the file's path is refused, and its target is not written`() async throws {
        let harness = try PipelineHarness()
        let target = harness.directory.path("target")
        try FileManager.default.createSymbolicLink(atPath: harness.path, withDestinationPath: target)
        let error = await #expect(throws: RecorderError.self) { try await harness.save("refused") }
        #expect(error?.message.contains("symbolic link") == true)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test func `a directory that cannot be created is reported, with what to do`() async throws {
        let blocked = try TemporaryDirectory()
        try Data().write(to: URL(fileURLWithPath: blocked.path("file")))
        let store = RecordStore { () throws(RecorderError) in
            try StoreLocation(
                service: "kinesis",
                key: nil,
                directory: blocked.path("file/inside"),
                program: "p",
                environment: [:]
            )
        }
        let error = #expect(throws: RecorderError.self) { try store.totals() }
        #expect(error?.message.contains("file/inside") == true)
        #expect(error?.message.contains("AWS_KINESIS_RECORDER_DIR") == true)
    }

    @Test func `two pipelines of one file see each other's records, and no save is lost`() async throws {
        let first = try PipelineHarness()
        let second = try PipelineHarness(in: first.directory)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for harness in [first, second] {
                group.addTask { for number in 0..<100 { try await harness.save("\(number)", to: "s\(number % 7)") } }
            }
            try await group.waitForAll()
        }
        #expect(try first.records() == 200)
        #expect(try second.records() == 200)
        #expect(try first.storedTexts().count == 200)
    }

    @Test func `an emptied store releases its pages`() async throws {
        let harness = try PipelineHarness { $0.limits.bytes = 0 }
        for _ in 0..<200 { try await harness.save(Data(count: 20_000)) }
        _ = try await harness.clear()
        let sizes = try ["", "-wal", "-shm"].map {
            try FileManager.default.attributesOfItem(atPath: harness.path + $0)[.size] as? Int ?? 0
        }
        #expect(sizes.reduce(0, +) < 100_000)
    }
}
