import Foundation
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct FollowTests {
    private let logs: FollowedLogs

    init() throws {
        logs = try FollowedLogs()
    }

    @Test func `lines that are there and lines that are added are stored once, over restarts`() async throws {
        try logs.append("1\n2\n")
        let first = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(2) == ["1", "2"])
        try logs.append("3\n")
        #expect(try await logs.stored(3) == ["1", "2", "3"])
        let ran = await logs.stop(first)
        #expect(ran.status == 0, "\(ran)")
        #expect(ran.out.hasPrefix("saved 3 records to app in"), "\(ran)")
        try logs.append("4\n5\n")
        let second = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(5) == ["1", "2", "3", "4", "5"])
        #expect(await logs.stop(second, SIGINT).status == 0)
    }

    @Test func `a dry run names the files, and stores nothing`() async throws {
        try logs.append("1\n")
        let ran = try await logs.tool.run("follow", "app", logs.path("app.*"), "--dry-run")
        #expect(ran.status == 0 && ran.err.isEmpty, "\(ran)")
        #expect(ran.out == "\(logs.path("app.*")) to kinesis app, from their starts:\n  \(logs.path("app.log")), 2 B\n")
        #expect(!FileManager.default.fileExists(atPath: logs.database))
    }

    @Test func `neither a store nor what the command itself writes is followed`() async throws {
        let tool = logs.tool
        let directory = tool.home.path("store")
        func stored() -> [String] {
            ((try? StoredRecord.all(at: "\(directory)/kinesis.db")) ?? []).map {
                String(decoding: $0.data, as: UTF8.self)
            }
        }
        try tool.write("a.log", "1\n")
        let metrics = tool.home.path("m.prom")
        let words = ["follow", "app", tool.home.path("**/*"), "-d", directory, "--metrics-file", metrics, "--verbose"]
        try tool.write("kinesis.db.damaged-1-a", "x\n")
        let running = try tool.start(words)
        try await waitUntil { stored().count >= 1 }
        try tool.write("kinesis-b.db.log", "2\n")
        try await waitUntil { stored().count >= 2 }
        let ran = await logs.stop(running)
        #expect(stored() == ["1", "2"] && ran.status == 0, "\(ran)")
        #expect(ran.err.contains("m.prom is not followed: this command writes it"), "\(ran)")
        #expect(ran.err.contains("kinesis.db is not followed: it is the database of a record store."), "\(ran)")
        #expect(ran.err.contains(".err is not followed: this command writes it"), "\(ran)")
    }

    @Test func `a store that was emptied is damage, and its followed lines are stored again, which is said`()
        async throws
    {
        try logs.append("1\n2\n")
        let first = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(2) == ["1", "2"])
        _ = await logs.stop(first)
        #expect(truncate(logs.database, 0) == 0)
        let verified = try await logs.tool.run("verify")
        #expect(verified.status == 1 && verified.err.contains("the file is empty, and was not"), "\(verified)")
        let second = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(2) == ["1", "2"])
        let ran = await logs.stop(second)
        #expect(ran.err.contains("the store was damaged"), "\(ran)")
        #expect(ran.err.contains("may be stored a second time"), "\(ran)")
        #expect(try await logs.tool.run("verify").status == 0)
    }

    @Test func `a relative path in a working directory that was removed is an error`() async throws {
        let gone = ["sh", "-c", "d=$(mktemp -d); cd $d; rmdir $d; exec \"$0\" \"$@\""]
        let ran = await (try logs.start("app.log", under: gone)).end()
        #expect(ran.status == 66 && ran.err.contains("working directory, which no longer exists"), "\(ran)")
    }

    @Test(arguments: ["", "1\n"])
    func `lines that are written into space that was allocated before are stored, each once`(first: String) async throws
    {
        try logs.append(first + String(repeating: "\0", count: 8_192))
        let running = try logs.start(logs.path("app.log"))
        try await waitUntil { try logs.stored.count == first.count / 2 && logs.positions().count == 1 }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: logs.path("app.log")))
        for (offset, text, count) in [(0, "1\n", 1), (2, "2\n3\n", 3), (6, "4", 3), (7, "5\n", 4)] {
            try file.seek(toOffset: UInt64(offset))
            try file.write(contentsOf: Data(text.utf8))
            _ = try await logs.stored(count)
        }
        try file.close()
        let ran = await logs.stop(running)
        #expect(logs.stored == ["1", "2", "3", "45"] && !ran.err.contains("truncated"), "\(ran)")
    }

    @Test func `a kill between two lines repeats and loses none`() async throws {
        try logs.append("1\n")
        let first = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(1) == ["1"])
        #expect(await logs.stop(first, SIGKILL).status == -SIGKILL)
        try logs.append("2\n")
        let second = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(2) == ["1", "2"])
        _ = await logs.stop(second)
    }

    @Test func `a line without its end waits until it is complete, and a deleted file's is complete`() async throws {
        try logs.append("1\nha")
        let running = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(1) == ["1"])
        try logs.append("lf\n2\nrest")
        #expect(try await logs.stored(3) == ["1", "half", "2"])
        try logs.remove("app.log")
        #expect(try await logs.stored(4) == ["1", "half", "2", "rest"])
        #expect(await logs.stop(running).status == 0)
    }

    @Test func `a file that is renamed is read to its end, and the next one from its start`() async throws {
        let running = try logs.start(logs.path("app.log"))
        try logs.append("1\n")
        #expect(try await logs.stored(1) == ["1"])
        try logs.rename("app.log", to: "app.log.1")
        try logs.append("2\n", to: "app.log.1")
        try logs.append("3\n")
        #expect(Set(try await logs.stored(3)) == ["1", "2", "3"])
        try logs.append("4\n", to: "app.log.1")
        #expect(try await logs.stored(4).count == 4)
        #expect(await logs.stop(running).err.contains("missing") == false)
    }

    @Test(arguments: ["app.log", "app*"])
    func `files that were rotated while nothing followed them are read where they are now`(pattern: String) async throws
    {
        try logs.append("old\n", to: "app.log.1")
        try logs.append("1\n")
        let first = try logs.start(logs.path(pattern))
        let old = pattern == "app*" ? ["old"] : []
        #expect(Set(try await logs.stored(1 + old.count)) == Set(["1"] + old))
        _ = await logs.stop(first)
        try logs.append("2\n")
        for (from, to) in [("app.log.1", "app.log.2"), ("app.log", "app.log.1")] { try logs.rename(from, to: to) }
        try logs.append("3\n")
        for (from, to) in [("app.log.1", "app.log-20261123"), ("app.log", "app.log.1")] {
            try logs.rename(from, to: to)
        }
        try logs.append("4\n")
        let second = try logs.start(logs.path(pattern))
        #expect(Set(try await logs.stored(4 + old.count)) == Set(["1", "2", "3", "4"] + old))
        let ran = await logs.stop(second)
        #expect(!ran.err.contains("missing"), "\(ran)")
    }

    @Test(arguments: ["app.log", "app.log*"])
    func `a file that was rotated and read is closed, and read on when it grows`(pattern: String) async throws {
        try logs.append("1\n")
        let first = try logs.start(logs.path(pattern))
        #expect(try await logs.stored(1) == ["1"])
        _ = await logs.stop(first)
        try logs.rename("app.log", to: "app.log.1")
        let earlier = Date.now.addingTimeInterval(-3_600)
        try FileManager.default.setAttributes([.modificationDate: earlier], ofItemAtPath: logs.path("app.log.1"))
        try logs.append("2\n")
        let second = try logs.start(logs.path(pattern))
        #expect(try await logs.stored(2) == ["1", "2"])
        let open = second.openFiles
        #expect(open.contains(logs.path("app.log")) && !open.contains(logs.path("app.log.1")), "\(open)")
        try logs.append("3\n", to: "app.log.1")
        #expect(try await logs.stored(3) == ["1", "2", "3"])
        #expect(await logs.stop(second).status == 0)
    }

    @Test func `a file that was compressed while nothing followed it is reported`() async throws {
        try logs.append("1\n")
        let first = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(1) == ["1"])
        _ = await logs.stop(first)
        try logs.append("2\n")
        try logs.rename("app.log", to: "app.log.1.gz")
        try logs.append("3\n")
        try logs.remove("app.log.1.gz")
        let second = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(2) == ["1", "3"])
        let ran = await logs.stop(second)
        #expect(ran.err.contains("app.log is gone") && ran.err.contains("read to byte 2"), "\(ran)")
        let third = try logs.start(logs.path("app.log"))
        try logs.append("4\n")
        #expect(try await logs.stored(3) == ["1", "3", "4"])
        #expect(await logs.stop(third).err.contains("gone") == false)
    }

    @Test(arguments: ["", "a longer line than before\n"])
    func `a truncation in place is reported, with the byte after which lines may be missing`(text: String) async throws
    {
        try logs.append("1\n2\n")
        let running = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(2) == ["1", "2"])
        // As a shell's redirection: it truncates the file, and writes.
        try Data(text.utf8).write(to: URL(fileURLWithPath: logs.path("app.log")), options: [])
        try logs.append("3\n")
        let lines = text.split(separator: "\n").map(String.init)
        #expect(try await logs.stored(3 + lines.count) == ["1", "2"] + lines + ["3"])
        let ran = await logs.stop(running)
        #expect(ran.err.contains("truncated in place") && ran.err.contains("read to byte 4"), "\(ran)")
    }

    @Test func `a copy is read on when its original is truncated, and not before`() async throws {
        let lines = (1...200).map { "line \($0)" }
        try logs.append(lines[..<150].map { "\($0)\n" }.joined())
        let first = try logs.start(logs.path("app.log*"))
        #expect(try await logs.stored(150).count == 150)
        try FileManager.default.copyItem(atPath: logs.path("app.log"), toPath: logs.path("app.log.1"))
        _ = await logs.stop(first)
        try logs.append(lines[150...].map { "\($0)\n" }.joined(), to: "app.log.1")
        try Data().write(to: URL(fileURLWithPath: logs.path("app.log")), options: [])
        try logs.append("new\n")
        let second = try logs.start(logs.path("app.log*"))
        #expect(Set(try await logs.stored(201)) == Set(lines + ["new"]))
        let ran = await logs.stop(second)
        #expect(ran.err.contains("app.log.1 is read from byte"), "\(ran)")
        let third = try logs.start(logs.path("app.log*"))
        try logs.append("newer\n")
        #expect(try await logs.stored(202).count == 202)
        #expect(await logs.stop(third).err.contains("truncated") == false)
    }

    @Test func `from the end, only lines are stored that are complete later`() async throws {
        try logs.append("1\nha")
        try logs.append("x\n", to: "app.log.1")
        let first = try logs.start(logs.path("app.log"), "--from-end")
        try await waitUntil { first.printedErrors.contains("following 2 files") }
        try logs.append("lf\n2\n")
        #expect(try await logs.stored(2) == ["half", "2"])
        _ = await logs.stop(first)
        try logs.append("3\n")
        try logs.rename("app.log", to: "app.log.2")
        try logs.append("4\n")
        let second = try logs.start(logs.path("app.log"), "--from-end")
        #expect(try await logs.stored(4) == ["half", "2", "3", "4"])
        _ = await logs.stop(second)
    }

    @Test func `of two followers one reads a file, and the other takes over when that ends`() async throws {
        try logs.append("1\n")
        let first = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(1) == ["1"])
        let second = try logs.start(logs.path("app.log"))
        try await waitUntil { second.printedErrors.contains("followed already") }
        try logs.append("2\n")
        #expect(try await logs.stored(2) == ["1", "2"])
        _ = await logs.stop(first, SIGKILL)
        try logs.append("3\n")
        #expect(try await logs.stored(3) == ["1", "2", "3"])
        #expect(await logs.stop(second).status == 0)
    }

    @Test func `at its limit the store takes nothing, and reading goes on when there is room`() async throws {
        let service = try AcceptingService()
        let logs = try FollowedLogs(to: service.url)
        let lines = (1...30).map { "\($0) " + String(repeating: "x", count: 100) }
        try logs.append(lines.map { "\($0)\n" }.joined())
        let running = try logs.start(logs.path("app.log"), "--limit", "2000", "--max-record", "1K")
        try await waitUntil { running.printedErrors.contains("at its --limit") }
        #expect(logs.stored == Array(lines.prefix(logs.stored.count)))
        try await waitUntil {
            _ = try await logs.tool.run("submit")
            return service.payloads.count == lines.count
        }
        #expect(service.payloads.map { String(decoding: $0, as: UTF8.self) } == lines)
        #expect(await logs.stop(running).err.contains("goes on."))
    }

    @Test(arguments: [
        ("directory", "a directory"), ("fifo", "save"), ("/dev/null", "save"), ("a.gz", "zcat"),
        ("secret", "cannot be read"),
    ])
    func `what cannot be followed is refused`(name: String, message: String) async throws {
        try FileManager.default.createDirectory(atPath: logs.path("directory"), withIntermediateDirectories: false)
        mkfifo(logs.path("fifo"), 0o600)
        try logs.append("x", to: "a.gz")
        try logs.append("x", to: "secret")
        chmod(logs.path("secret"), 0)
        if name == "secret", geteuid() == 0 { return }
        let path = name.hasPrefix("/") ? name : logs.path(name)
        let ran = try await logs.tool.run("follow", "app", path)
        #expect(ran.status == 66 && ran.err.contains(message), "\(ran)")
    }

    @Test func `a file that a link replaces is not followed`() async throws {
        try logs.append("1\n")
        try logs.append("secret\n", to: "other")
        let running = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(1) == ["1"])
        try logs.remove("app.log")
        try FileManager.default.createSymbolicLink(
            atPath: logs.path("app.log"),
            withDestinationPath: logs.path("other")
        )
        try await waitUntil { running.printedErrors.contains("link") }
        #expect(logs.stored == ["1"])
        _ = await logs.stop(running)
    }

    @Test func `a link that exists at the start is followed, and its next target too`() async throws {
        try logs.append("1\n", to: "a.txt")
        try logs.append("2\n", to: "b.txt")
        try FileManager.default.createSymbolicLink(
            atPath: logs.path("app.log"),
            withDestinationPath: logs.path("a.txt")
        )
        let running = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(1) == ["1"])
        try logs.remove("app.log")
        try FileManager.default.createSymbolicLink(
            atPath: logs.path("app.log"),
            withDestinationPath: logs.path("b.txt")
        )
        #expect(try await logs.stored(2) == ["1", "2"])
        _ = await logs.stop(running)
    }

    @Test func `all lines over the limit that are read at once are reported with their number`() async throws {
        let long = { (count: Int) in String(repeating: "x", count: count) + "\n" }
        try logs.append(long(1_001) + long(1_002) + "1\n" + long(1_003) + long(1_004) + "2\n")
        let running = try logs.start(logs.path("app.log"), "--max-record", "1000")
        #expect(try await logs.stored(2) == ["1", "2"])
        try logs.append(long(1_005) + "3\n")
        #expect(try await logs.stored(3) == ["1", "2", "3"])
        let ran = await logs.stop(running)
        #expect(ran.err.contains("4 lines were refused, the first one of 1,001 bytes; the limit is 1,000."), "\(ran)")
        #expect(ran.err.contains("more lines over the limit of 1,000 bytes were refused."), "\(ran)")
    }

    @Test func `a line over the limit is refused and reported, and is not read again`() async throws {
        try logs.append("1\n" + String(repeating: "x", count: 2_000) + "\n")
        let first = try logs.start(logs.path("app.log"), "--max-record", "1000")
        try await waitUntil { first.printedErrors.contains("2,000 bytes was refused") }
        #expect(await logs.stop(first).out.contains("refused 1"))
        let second = try logs.start(logs.path("app.log"), "--max-record", "1000")
        try logs.append("2\n")
        #expect(try await logs.stored(2) == ["1", "2"])
        #expect(await logs.stop(second).err.contains("refused") == false)
    }

    @Test func `with --submit lines arrive as they are written, and a stop leaves none to be sent twice`() async throws
    {
        let service = try AcceptingService()
        let logs = try FollowedLogs(to: service.url)
        try logs.append("1\n2\n")
        let first = try logs.start(logs.path("app.log"), "--submit")
        await service.received(1)
        #expect(await logs.stop(first).status == 0)
        try logs.append("3\n")
        let second = try logs.start(logs.path("app.log"), "--submit")
        try await waitUntil { service.payloads.count >= 3 }
        #expect(await logs.stop(second).status == 0)
        #expect(service.payloads.map { String(decoding: $0, as: UTF8.self) } == ["1", "2", "3"])
    }

    /// With pauses that double, this would take two minutes.
    @Test(.timeLimit(.minutes(5)))
    func `a stream that does not exist does not delay another one, and a stop says what stays`() async throws {
        let service = try AcceptingService(missing: "missing")
        let logs = try FollowedLogs(to: service.url)
        _ = try await logs.tool.run("save", "missing", input: Data("0\n".utf8))
        let running = try logs.start(logs.path("app.log"), "--submit")
        for number in 1...7 {
            try logs.append("\(number)\n")
            try await waitUntil { service.payloads.count == number }
        }
        let ran = await logs.stop(running)
        #expect(ran.status == 0 && ran.err.contains("1 record stays stored"), "\(ran)")
    }

    @Test func `if the store is damaged beyond its positions, the lines that may be stored twice are named`()
        async throws
    {
        try logs.append("1\n2\n")
        let first = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(2) == ["1", "2"])
        _ = await logs.stop(first)
        try Data(repeating: 0x5A, count: 100_000).write(to: URL(fileURLWithPath: logs.database))
        // The log alone would do, where there is one.
        try? FileManager.default.removeItem(atPath: "\(logs.database)-wal")
        let second = try logs.start(logs.path("app.log"), "--from-end")
        #expect(try await logs.stored(2) == ["1", "2"])
        let ran = await logs.stop(second)
        #expect(ran.err.contains("the store was damaged"), "\(ran)")
        #expect(ran.err.contains("app.log was lost") && ran.err.contains("stored a second time"), "\(ran)")
    }

    @Test func `the copy that copytruncate makes is read on while the follower runs`() async throws {
        let lines = (1...300).map { "line \($0)" }
        try logs.append(lines[..<200].map { "\($0)\n" }.joined())
        let running = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(200).count == 200)
        // What is written while nothing is read is in the copy only.
        _ = running.signal(SIGSTOP)
        try logs.append(lines[200...].map { "\($0)\n" }.joined())
        try FileManager.default.copyItem(atPath: logs.path("app.log"), toPath: logs.path("app.log.1"))
        try Data().write(to: URL(fileURLWithPath: logs.path("app.log")), options: [])
        try logs.append("new\n")
        _ = running.signal(SIGCONT)
        #expect(Set(try await logs.stored(301)) == Set(lines + ["new"]))
        #expect(await logs.stop(running).status == 0)
        #expect(logs.stored.count == 301)
    }
}
