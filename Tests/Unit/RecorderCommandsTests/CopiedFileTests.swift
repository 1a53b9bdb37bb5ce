import Foundation
import RecorderTestSupport
import Testing

/// Copies of followed files, and files of which a part is written anew.
@Suite(.timeLimit(.minutes(5))) struct CopiedFileTests {
    private let logs: FollowedLogs

    init() throws {
        logs = try FollowedLogs()
    }

    private func append(_ lines: ClosedRange<Int>, to name: String = "app.log") throws {
        try logs.append(lines.map { "line \($0)\n" }.joined(), to: name)
    }

    private func copy(_ name: String, to other: String) throws {
        try FileManager.default.copyItem(atPath: logs.path(name), toPath: logs.path(other))
        try age(other)
    }

    /// Makes a file look as if nothing had been written to it for an hour.
    private func age(_ name: String) throws {
        let date = Date(timeIntervalSinceNow: -3_600)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: logs.path(name))
    }

    private func overwrite(_ name: String = "app.log", with text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: logs.path(name)), options: [])
    }

    @Test func `a copy is not stored again while its original grows, nor after a restart`() async throws {
        try append(1...300)
        let first = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(300).count == 300)
        try copy("app.log", to: "app.log.1")
        try append(301...400)
        #expect(try await logs.stored(400).count == 400)
        // Another name in the directory has it scanned again.
        try logs.append("x", to: "other")
        try append(401...401)
        #expect(try await logs.stored(401).count == 401)
        _ = await logs.stop(first)
        let second = try logs.start(logs.path("app.log"))
        try append(402...402)
        #expect(try await logs.stored(402) == (1...402).map { "line \($0)" })
        _ = await logs.stop(second)
        #expect(logs.stored.count == 402)
    }

    @Test func `if lines were stored between copy and truncation, none of the copy is stored again`() async throws {
        try append(1...300)
        let running = try logs.start(logs.path("*.log"))
        #expect(try await logs.stored(300).count == 300)
        try copy("app.log", to: "app.log.1")
        try append(301...310)
        // Once a later file is read, the copy was seen.
        try logs.append("later\n", to: "later.log")
        #expect(try await logs.stored(311).count == 311)
        try overwrite(with: "new\n")
        let stored = try await logs.stored(312).filter { $0 != "later" }
        #expect(stored == (1...310).map { "line \($0)" } + ["new"])
        try append(1...1, to: "app.log")
        #expect(try await logs.stored(313).count == 313)
        let ran = await logs.stop(running)
        #expect(ran.err.contains("truncated in place") && logs.stored.count == 313, "\(ran)")
    }

    @Test func `a longer file that begins like one with few lines is no copy`() async throws {
        try logs.append("time,level\n", to: "data.csv")
        let running = try logs.start(logs.path("*.csv"))
        #expect(try await logs.stored(1) == ["time,level"])
        try logs.append("time,level\n1,2\n3,4\n", to: "data-1.csv")
        try age("data-1.csv")
        #expect(try await logs.stored(4) == ["time,level", "time,level", "1,2", "3,4"])
        _ = await logs.stop(running)
    }

    @Test func `a line without its end that is cut off repeats no other line`() async throws {
        try append(1...300)
        try logs.append("{\"torn\":")
        let running = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(300).count == 300)
        let whole = (1...300).map { "line \($0)\n" }.joined()
        #expect(truncate(logs.path("app.log"), whole.utf8.count) == 0)
        try append(301...301)
        #expect(try await logs.stored(301) == (1...301).map { "line \($0)" })
        let ran = await logs.stop(running)
        #expect(ran.err.contains("after byte 2,592") && ran.err.contains("it is read on from there"), "\(ran)")
        #expect(logs.stored.count == 301)
    }

    @Test func `a file of which nothing was stored is missed if it is gone at the next start`() async throws {
        let first = try logs.start(logs.path("app.log"))
        try await waitUntil { first.printedErrors.contains("there is no") }
        try logs.append("no end yet")
        try await waitUntil { try logs.positions() == [logs.path("app.log")] }
        #expect(await logs.stop(first, SIGKILL).status == -SIGKILL)
        try logs.remove("app.log")
        let second = try logs.start(logs.path("app.log"))
        try await waitUntil { second.printedErrors.contains("app.log is gone") }
        #expect(await logs.stop(second).err.contains("read to byte 0"))
    }

    @Test func `the first record without its partition key is reported`() async throws {
        try logs.append("{\"id\":1}\n{\"user\":2}\n{\"user\":3}\n")
        let running = try logs.start(logs.path("app.log"), "--partition-key-field", "id")
        #expect(try await logs.stored(3).count == 3)
        let notes = await logs.stop(running).err.split(separator: "\n").filter { $0.contains("has no member \"id\"") }
        #expect(notes.count == 1 && notes.first?.contains("app.log: record 2") == true, "\(notes)")
    }

    @Test func `a store that stays at its limit is reported once`() async throws {
        let service = try AcceptingService()
        let logs = try FollowedLogs(to: service.url)
        let lines = (1...60).map { "\($0) " + String(repeating: "x", count: 100) }
        try logs.append(lines.map { "\($0)\n" }.joined())
        let running = try logs.start(logs.path("app.log"), "--limit", "2000", "--max-record", "1K")
        try await waitUntil { running.printedErrors.contains("at its --limit") }
        try await waitUntil {
            _ = try await logs.tool.run("submit")
            return service.payloads.count == lines.count
        }
        let ran = await logs.stop(running)
        #expect(ran.err.split(separator: "\n").count { $0.contains("at its --limit") } == 1, "\(ran)")
    }

    @Test func `a file that is empty at first is no copy, and read soon while other files are written all the time`()
        async throws
    {
        try append(1...1)
        let running = try logs.start(logs.path("*.log"))
        #expect(try await logs.stored(1) == ["line 1"])
        try logs.append("", to: "app-2.log")
        var rounds = 0
        try await waitUntil {
            try logs.append("busy\n")
            // The name may be found with its first line, or before.
            if rounds == 20 { try logs.append("new\n", to: "app-2.log") }
            rounds += 1
            return rounds > 1_000 || logs.stored.contains("new")
        }
        #expect(rounds <= 1_000)
        _ = await logs.stop(running)
    }
}
