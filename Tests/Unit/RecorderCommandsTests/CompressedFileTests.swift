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
        try await logs.waitUntil { try logs.positions() == [logs.path("app.log")] }
        let ran = await logs.stop(running)
        #expect(ran.err.contains("app.log.1.gz is read from byte") && !ran.err.contains("missing"), "\(ran)")
        try append(lines(951...951))
        _ = try await follow(pattern, until: 951)
        #expect(logs.stored.count == 951)
    }

    @Test func `a compressed file that begins otherwise is not read, and that lines may be missing is told`()
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
        let ran = try await follow("app.log", until: 501)
        #expect(ran.err.contains("app.log is gone") && ran.err.contains("lines after that may be missing"), "\(ran)")
        #expect(logs.stored.count == 501)
    }

    @Test func `of a file of which nothing was read, no compressed file is taken for its content`() async throws {
        try append(lines(1...3), to: "app.log.1")
        try await run("gzip", logs.path("app.log.1"))
        try logs.append("no end yet")
        let first = try logs.start(logs.path("app.log"))
        try await logs.waitUntil { try logs.positions() == [logs.path("app.log")] }
        _ = await logs.stop(first)
        try logs.rename("app.log", to: "app.log.2")
        try await run("gzip", logs.path("app.log.2"))
        try append(["new"])
        let ran = try await follow("app.log", until: 1)
        #expect(ran.err.contains("app.log is gone") && logs.stored == ["new"], "\(ran)")
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
        try await logs.waitUntil { logs.stored.count >= 20_001 }
        _ = await logs.stop(running)
        #expect(logs.stored.count == 20_001)
        #expect(Set(logs.stored) == Set(lines(1...20_000) + ["end"]))
    }
}
