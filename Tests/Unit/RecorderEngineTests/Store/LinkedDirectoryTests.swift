import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// Symbolic links in the path of a store are followed; only the store's own files must not be links.
@Suite struct LinkedDirectoryTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func link(_ name: String, to target: String) throws -> String {
        let path = directory.path(name)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        return path
    }

    private func makeDirectory(_ name: String) throws -> String {
        let path = directory.path(name)
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        return path
    }

    @Test(arguments: ["link", "link/", "link/new", "link/new/../other", "link//a/./b", "relative", "chain"])
    func `a store is created where the links in its path lead`(name: String) async throws {
        let real = try makeDirectory("real")
        _ = try link("link", to: real)
        _ = try link("relative", to: "./real")
        _ = try link("chain", to: directory.path("link"))
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: directory, at: directory.path(name))
        try await harness.save("sent")
        #expect(try await harness.flush().delivered == 1)
        try await harness.save("kept")
        #expect(try harness.records() == 1)
        #expect(try PipelineHarness(in: directory, at: directory.path(name)).records() == 1)
        let found = try #require(FileManager.default.enumerator(atPath: real)).compactMap { $0 as? String }
        #expect(found.contains { $0.hasSuffix("kinesis.db") })
    }

    @Test func `programs that use one directory through different links share its records and locks`() async throws {
        let real = try makeDirectory("real")
        let harnesses = try [real, link("a", to: real), link("b", to: directory.path("a"))].map {
            try PipelineHarness(in: directory, at: $0)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for harness in harnesses {
                group.addTask { for number in 0..<50 { try await harness.save("\(number)") } }
            }
            try await group.waitForAll()
        }
        for harness in harnesses { #expect(try harness.records() == 150) }
        let names = try FileManager.default.contentsOfDirectory(atPath: real).sorted()
        #expect(names == ["", "-shm", "-wal", ".lock", ".reserve"].map { "kinesis.db\($0)" })
    }

    @Test func `when a link is changed, the store continues at its new target`() async throws {
        let (first, second) = (try makeDirectory("first"), try makeDirectory("second"))
        let path = try link("link", to: first)
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: directory, at: path)
        try await harness.save("before")
        _ = try link("next", to: second)
        #expect(rename(directory.path("next"), path) == 0)
        try await harness.save("after")
        #expect(
            try PipelineHarness(in: directory, at: first).records() == 2,
            "what was stored before the move stays there"
        )
        #expect(try PipelineHarness(in: directory, at: second).storedTexts() == ["after"])
        #expect(try await harness.flush().delivered == 1)
        #expect(try harness.records() == 0)
    }

    @Test func `a submit sends the records at the link's current target`() async throws {
        let (first, second) = (try makeDirectory("first"), try makeDirectory("second"))
        let server = try LocalServer { request, _ in .kinesis(request) }
        try await PipelineHarness(in: directory, at: first).save("of the first")
        try await PipelineHarness(in: directory, at: second).save("of the second")
        let harness = try PipelineHarness(to: server, in: directory, at: try link("link", to: first))
        #expect(try harness.records() == 1)
        _ = try link("next", to: second)
        #expect(rename(directory.path("next"), directory.path("link")) == 0)
        #expect(try await harness.flush().delivered == 1)
        #expect(try PipelineHarness(in: directory, at: first).records() == 1)
        #expect(try PipelineHarness(in: directory, at: second).records() == 0)
    }

    @Test func `a legacy database is imported through a link`() async throws {
        let real = try makeDirectory("real")
        do {
            let connection = try SQLiteConnection(path: "\(real)/old", access: .readWrite)
            try connection.execute(
                """
                CREATE TABLE record (partition_key, stream_name, data, timestamp, retry_count);
                INSERT INTO record VALUES ('key', 'stream', x'61', 1, 0)
                """
            )
        }
        let harness = try PipelineHarness()
        let path = try link("link", to: real)
        let imported: Import = try await withCheckedThrowingContinuation { continuation in
            harness.pipeline.importRecords(from: "\(path)/old") { continuation.resume(with: $0) }
        }
        #expect(imported.imported == 1)
        #expect(try harness.records() == 1)
    }

    // MARK: refused paths

    private func refusal(_ path: String) async -> String {
        let error = await #expect(throws: RecorderError.self) {
            try await PipelineHarness(in: directory, at: path).save("refused")
        }
        return error?.message ?? ""
    }

    @Test(arguments: ["dangling", "dangling/new"])
    func `a dangling link is reported with its target`(name: String) async throws {
        let path = try link("dangling", to: directory.path("gone/away"))
        let message = await refusal(directory.path(name))
        #expect(message.contains("\(path) is a symbolic link to \(directory.path("gone/away"))"), "\(message)")
        #expect(message.contains("does not exist"))
        #expect(!FileManager.default.fileExists(atPath: directory.path("gone")))
    }

    @Test(arguments: ["loop", "loop/new"])
    func `a loop of links is reported`(name: String) async throws {
        let path = try link("loop", to: directory.path("back"))
        _ = try link("back", to: path)
        let message = await refusal(directory.path(name))
        #expect(message.contains("\(path) is a symbolic link to \(directory.path("back"))"), "\(message)")
        #expect(message.contains("part of a loop"))
    }

    @Test(arguments: ["", "-wal", "-shm", ".lock", ".submit", ".reserve"])
    func `a link at the path of a store's file is refused, and its target is unchanged`(
        suffix: String
    ) async throws {
        let path = try makeDirectory("store")
        let target = directory.path("target")
        try Data("theirs".utf8).write(to: URL(fileURLWithPath: target))
        let file = "\(path)/kinesis.db\(suffix)"
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
        let message = await refusal(path)
        #expect(message.contains(file) && message.contains("symbolic link to \(target)"), "\(message)")
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "theirs")
    }

    @Test func `a path that is too long for SQLite is refused with its length and the limit`() async throws {
        // Two names of this length are longer than SQLite's limit and shorter than the system's.
        let name = String(repeating: "d", count: 250)
        let long = directory.path("\(name)/\(name)")
        let message = await refusal(long)
        #expect(message.contains("\(long.utf8.count + "/kinesis.db".utf8.count) bytes"), "\(message)")
        #expect(message.contains("497") && message.contains("AWS_KINESIS_RECORDER_DIR"))
    }

    @Test func `the length limit applies to the resolved path, not to the given one`()
        async throws
    {
        let name = String(repeating: "d", count: 250)
        let short = try link("short", to: try makeDirectory("\(name)/\(name)"))
        #expect(await refusal(short).contains("497"))
        var long = directory.path
        while long.utf8.count < 600 { long += "/./." }
        try await PipelineHarness(in: directory, at: "\(long)/store").save("kept")
    }

    @Test func `a path of exactly the limit works, including a rescue of its file`() async throws {
        let file = "/kinesis.db".utf8.count
        let rest = 497 - file - directory.path.utf8.count - 2
        let name = String(repeating: "d", count: rest - rest / 2)
        let path = directory.path("\(name)/\(String(repeating: "e", count: rest / 2))")
        #expect(path.utf8.count + file == 497)
        do {
            let harness = try PipelineHarness(in: directory, at: path)
            for number in 0..<10 { try await harness.save("\(number)") }
        }
        try SQLiteConnection.emptyLog(of: "\(path)/kinesis.db")
        let handle = try #require(FileHandle(forUpdatingAtPath: "\(path)/kinesis.db"))
        try handle.seek(toOffset: 20)
        try handle.write(contentsOf: Data(repeating: 0xff, count: 60))
        try handle.close()
        let harness = try PipelineHarness(in: directory, at: path)
        try await harness.save("after")
        #expect(harness.events.rescues.count == 1)
        #expect(await refusal("\(path)e").contains("498"))
    }
}
