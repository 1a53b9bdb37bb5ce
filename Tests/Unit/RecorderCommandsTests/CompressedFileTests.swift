import Foundation
import RecorderTestSupport
import Testing

/// Files that are compressed after a rotation, before they were read to their ends.
@Suite(.timeLimit(.minutes(5))) struct CompressedFileTests {
    private let logs: FollowedLogs

    init() throws {
        logs = try FollowedLogs()
    }

    private func lines(_ range: ClosedRange<Int>) -> [String] { range.map { "line \($0)" } }

    private func append(_ lines: [String], to name: String = "app.log") throws {
        try logs.append(lines.map { "\($0)\n" }.joined(), to: name)
    }

    private func run(_ words: String...) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        let ended = try ProcessEnd(starting: process)
        await ended.finished()
        #expect(process.terminationStatus == 0)
    }

    /// Follows until so many lines are stored.
    private func follow(_ pattern: String, until count: Int, _ signal: Int32 = SIGTERM) async throws -> Tool.Ran {
        let running = try logs.start(logs.path(pattern))
        #expect(try await logs.stored(count).count >= count)
        return await logs.stop(running, signal)
    }

    @Test(arguments: ["app.log", "*.log"])
    func `a file that was compressed while nothing followed it is read on in its content`(pattern: String) async throws
    {
        try append(lines(1...500))
        _ = try await follow(pattern, until: 500)
        try append(lines(501...900))
        try logs.rename("app.log", to: "app.log.1")
        try await run("gzip", logs.path("app.log.1"))
        try append(lines(901...950))
        let running = try logs.start(logs.path(pattern))
        #expect(Set(try await logs.stored(950)) == Set(lines(1...950)))
        let ran = await logs.stop(running)
        #expect(ran.err.contains("app.log.1.gz is read from byte") && !ran.err.contains("missing"), "\(ran)")
        try append(lines(951...951))
        _ = try await follow(pattern, until: 951)
        #expect(logs.stored.count == 951)
    }

    @Test func `a compressed file that begins otherwise is read from its start, and that lines may be missing is told`()
        async throws
    {
        try append(lines(1...500))
        _ = try await follow("app.log", until: 500)
        try append(lines(501...600))
        try logs.rename("app.log", to: "app.log.1")
        let text = lines(1...600).map { $0 == "line 250" ? "LINE 250" : $0 }
        try logs.remove("app.log.1")
        try append(text, to: "app.log.1")
        try await run("gzip", logs.path("app.log.1"))
        try append(["new"])
        let ran = try await follow("app.log", until: 1_101)
        #expect(ran.err.contains("app.log is gone") && ran.err.contains("lines after that may be missing"), "\(ran)")
        #expect(Set(logs.stored) == Set(lines(1...500) + text + ["new"]) && logs.stored.count == 1_101)
    }

    @Test
    func `files that appear and are compressed while nothing follows them are read, those that existed before are not`()
        async throws
    {
        try append(["old"], to: "app.log.9")
        try await run("gzip", logs.path("app.log.9"))
        try logs.append("no end yet")
        let first = try logs.start(logs.path("app.log"))
        try await waitUntil { try logs.positions().contains(logs.path("app.log")) }
        _ = await logs.stop(first)
        try logs.rename("app.log", to: "app.log.2")
        try append(lines(1...300), to: "app.log.1")
        try await run("gzip", logs.path("app.log.1"), logs.path("app.log.2"))
        try append(["new"])
        for _ in 1...2 {
            let ran = try await follow("app.log", until: 302)
            #expect(!ran.err.contains("missing"), "\(ran)")
            #expect(Set(logs.stored) == Set(lines(1...300) + ["no end yet", "new"]) && logs.stored.count == 302)
        }
    }

    @Test func `the content of a file that was read and compressed is not read again, over restarts`() async throws {
        try append(lines(1...300))
        let first = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(300).count == 300)
        try logs.rename("app.log", to: "app.log.1")
        try append(lines(301...310))
        #expect(try await logs.stored(310).count == 310)
        try await run("gzip", logs.path("app.log.1"))
        try await waitUntil { first.printedErrors.contains("app.log.1 was deleted") }
        _ = await logs.stop(first)
        for number in 311...313 {
            try append(lines(number...number))
            _ = try await follow("app.log", until: number)
            #expect(logs.stored == lines(1...number))
        }
    }

    @Test func `a damaged compressed file is told once`() async throws {
        try append(["1"])
        _ = try await follow("app.log", until: 1)
        try append(["\u{1F}\u{8B} no gzip"], to: "app.log.1.gz")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -600)],
            ofItemAtPath: logs.path("app.log.1.gz")
        )
        let running = try logs.start(logs.path("app.log"))
        try await waitUntil {
            running.printedErrors.contains("app.log.1.gz is not read: it is compressed, and damaged")
        }
        try append(["2"])
        #expect(try await logs.stored(2) == ["1", "2"])
        let ran = await logs.stop(running)
        #expect(ran.err.matches(of: /damaged/).count == 1, "\(ran)")
    }

    @Test func `a kill while the content of a compressed file is read loses and repeats no line`() async throws {
        try append(lines(1...100))
        _ = try await follow("app.log", until: 100)
        try append(lines(101...20_000))
        try logs.rename("app.log", to: "app.log.1")
        try await run("gzip", "-1", logs.path("app.log.1"))
        _ = try await follow("app.log", until: 101, SIGKILL)
        try append(["end"])
        let running = try logs.start(logs.path("app.log"))
        try await waitUntil { logs.stored.count >= 20_001 }
        _ = await logs.stop(running)
        #expect(logs.stored.count == 20_001)
        #expect(Set(logs.stored) == Set(lines(1...20_000) + ["end"]))
    }
}
