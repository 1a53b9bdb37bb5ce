import Foundation
import RecorderTestSupport
import Testing

/// Which file a name stands for, and which files are the same: links, inodes that are used again, copies, layers of containers.
@Suite(.timeLimit(.minutes(5))) struct FileIdentityTests {
    private let logs: FollowedLogs

    init() throws {
        logs = try FollowedLogs()
    }

    private func age(_ name: String, to date: Date = Date(timeIntervalSinceNow: -3_600)) throws {
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: logs.path(name))
    }

    private func inode(_ name: String) -> UInt64 {
        var status = stat()
        return stat(logs.path(name), &status) == 0 ? UInt64(status.st_ino) : 0
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: logs.path(name), withDestinationPath: target)
    }

    private func lines(_ name: String, _ count: Int) -> [String] { (1...count).map { "\(name) \($0 + 1_000)" } }

    private func text(_ lines: [String]) -> String { lines.map { "\($0)\n" }.joined() }

    /// Changes files while a follower sees nothing of the steps between.
    private func atOnce(_ running: RunningTool, _ change: () throws -> Void) throws {
        _ = running.signal(SIGSTOP)
        defer { _ = running.signal(SIGCONT) }
        try change()
    }

    @Test func `a file that gets the inode of a closed one, and is as long, is read`() async throws {
        try logs.append(text(lines("a", 100)), to: "d")
        let first = try logs.start(logs.path("d"))
        #expect(try await logs.stored(100).count == 100)
        _ = await logs.stop(first)
        try logs.rename("d", to: "d.1")
        try age("d.1")
        try logs.append(text(lines("b", 100)), to: "d")
        let second = try logs.start(logs.path("d"))
        #expect(try await logs.stored(200).count == 200)
        var isUsedAgain = false
        try atOnce(second) {
            let freed = inode("d.1")
            try logs.remove("d.1")
            for number in 0..<500 where !isUsedAgain {
                try logs.append("", to: "new \(number)")
                guard inode("new \(number)") == freed else { continue }
                isUsedAgain = true
                try logs.rename("d", to: "d.1")
                try logs.rename("new \(number)", to: "d")
                try logs.append(text(lines("c", 100)), to: "d")
            }
        }
        guard isUsedAgain else { return print("skipped: the file system used no inode again.") }
        #expect(Set(try await logs.stored(300)) == Set(lines("a", 100) + lines("b", 100) + lines("c", 100)))
        _ = await logs.stop(second)
    }

    @Test(arguments: ["app-20261125.log", "app.log.1"], [false, true])
    func `a path that is a link to a dated name is read from its start`(target: String, isHard: Bool) async throws {
        try logs.append("1\n2\n", to: target)
        if isHard {
            try FileManager.default.linkItem(atPath: logs.path(target), toPath: logs.path("app.log"))
        } else {
            try link("app.log", to: target)
        }
        let running = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(2) == ["1", "2"])
        try logs.append("3\n", to: target)
        #expect(try await logs.stored(3) == ["1", "2", "3"])
        _ = await logs.stop(running)
    }

    @Test func `a file that differs from its sibling only in the middle is no copy`() async throws {
        let ours = lines("same", 400)
        var others = ours
        others[200] = "some 1201"
        try logs.append(text(ours), to: "worker.log")
        let running = try logs.start(logs.path("worker*.log"))
        #expect(try await logs.stored(400) == ours)
        try logs.append(text(others), to: "worker-1.log")
        try age("worker-1.log")
        #expect(try await logs.stored(800) == ours + others)
        _ = await logs.stop(running)
    }

    @Test func `a copy is named once, with its size`() async throws {
        try logs.append(text(lines("same", 400)), to: "worker.log")
        let metrics = logs.tool.home.path("recorder.prom")
        let running = try logs.start(logs.path("worker*.log"), "--metrics-file", metrics)
        #expect(try await logs.stored(400).count == 400)
        try logs.append(text(lines("same", 300)), to: "worker-1.log")
        try age("worker-1.log")
        try await waitUntil { running.printedErrors.contains("worker-1.log is not read: its 3,000 bytes") }
        try logs.append("new\n", to: "worker-1.log")
        #expect(try await logs.stored(401).last == "new")
        let ran = await logs.stop(running)
        #expect(ran.err.matches(of: /worker-1\.log is not read/).count == 1, "\(ran)")
        let shown = try PrometheusReader(try String(contentsOfFile: metrics, encoding: .utf8))
        #expect(shown.sum("flow_files") == 2 && shown.sum("flow_skipped_copies_total") == 1)
        #expect(shown.sum("flow_read_bytes_total") == 4_004 && shown.sum("flow_incomplete_files_total") == 0)
        #expect(shown.sum("flow_read_records_total") == 401 && shown.sum("flow_truncations_total") == 0)
    }

    @Test func `a file that is found empty beside its sibling, and deleted at once, is read`() async throws {
        try logs.append("1\n", to: "worker.log")
        let running = try logs.start(logs.path("worker*.log"))
        #expect(try await logs.stored(1) == ["1"])
        try atOnce(running) {
            try logs.append("", to: "worker-1.log")
            try logs.append("seen\n", to: "worker_a.log")
        }
        #expect(try await logs.stored(2) == ["1", "seen"])
        try atOnce(running) {
            try logs.append("short\n", to: "worker-1.log")
            try logs.remove("worker-1.log")
        }
        #expect(try await logs.stored(3) == ["1", "seen", "short"])
        _ = await logs.stop(running)
    }

    @Test func `a deleted file is read as long as a program has it open`() async throws {
        try logs.append("1\n")
        let running = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(1) == ["1"])
        let writer = try #require(FileHandle(forWritingAtPath: logs.path("app.log")))
        try writer.seekToEnd()
        try logs.remove("app.log")
        // The pause is what is tested: a minute is tested without one, in `FileStateTests`.
        try await Task.sleep(for: .seconds(7))
        try writer.write(contentsOf: Data("2\n".utf8))
        #expect(try await logs.stored(2) == ["1", "2"])
        try writer.write(contentsOf: Data("3".utf8))
        try writer.close()
        #expect(try await logs.stored(3) == ["1", "2", "3"])
        try await waitUntil { try logs.positions().isEmpty }
        let ran = await logs.stop(running)
        #expect(ran.err.contains("app.log was deleted") && ran.err.contains("read to byte 5"), "\(ran)")
    }

    @Test(arguments: [-315_619_200, 10_413_792_000] as [TimeInterval])
    func `times before 1970 and after 2262 are times`(seconds: TimeInterval) async throws {
        let date = Date(timeIntervalSince1970: seconds)
        try logs.append("1\n")
        try logs.append("old\n", to: "app.log.1")
        for name in ["app.log", "app.log.1", "."] { try age(name, to: date) }
        let running = try logs.start(logs.path("app*"))
        #expect(Set(try await logs.stored(2)) == ["1", "old"])
        try age(".", to: date)
        try logs.append("2\n", to: "app.log.2")
        try age("app.log.2", to: date)
        #expect(try await logs.stored(3).last == "2")
        #expect(await logs.stop(running).status == 0)
    }

    @Test func `more files than may be open are read in turn, and again when they grow`() async throws {
        for number in 1...300 { try logs.append("\(number)\n", to: "\(number).log") }
        let running = try logs.start(
            logs.path("*.log"),
            under: ["sh", "-c", "ulimit -n 128; exec \"$@\"", "sh"]
        )
        #expect(Set(try await logs.stored(300)) == Set((1...300).map(String.init)))
        for number in 1...300 { try logs.append("again \(number)\n", to: "\(number).log") }
        #expect(try await logs.stored(600).count == 600)
        #expect(running.openFiles.count { $0.hasSuffix(".log") } <= 48)
        let ran = await logs.stop(running)
        #expect(ran.err.contains("at most 48 files are open at a time"), "\(ran)")
    }

    @Test func `the directory that a link leads to next is read within seconds`() async throws {
        for name in ["1", "2"] {
            try FileManager.default.createDirectory(atPath: logs.path(name), withIntermediateDirectories: false)
            try logs.append("\(name)\n", to: "\(name)/app.log")
        }
        try link("current", to: "1")
        let running = try logs.start(logs.path("current/app.log"))
        #expect(try await logs.stored(1) == ["1"])
        let start = ContinuousClock.now
        try link("next", to: "2")
        try logs.rename("next", to: "current")
        #expect(try await logs.stored(2) == ["1", "2"])
        #expect(ContinuousClock.now - start < .seconds(30))
        _ = await logs.stop(running)
    }

    @Test func `a file of a container's image is stored once when it is copied to the container's layer`() async throws
    {
        for name in ["disk", "app"] {
            try FileManager.default.createDirectory(atPath: logs.path(name), withIntermediateDirectories: false)
        }
        guard geteuid() == 0, mount("tmpfs", logs.path("disk"), "tmpfs", 0, nil) == 0 else {
            return print("skipped: a file system can only be mounted as root.")
        }
        defer { _ = umount2(logs.path("disk"), 2) }
        for name in ["lower", "upper", "work"] {
            try FileManager.default.createDirectory(
                atPath: logs.path("disk/\(name)"),
                withIntermediateDirectories: false
            )
        }
        try logs.append("1\n2\n", to: "disk/lower/app.log")
        let disk = logs.path("disk")
        let layers = "lowerdir=\(disk)/lower,upperdir=\(disk)/upper,workdir=\(disk)/work"
        guard mount("overlay", logs.path("app"), "overlay", 0, layers) == 0 else {
            return print("skipped: an overlay cannot be mounted here.")
        }
        defer { _ = umount2(logs.path("app"), 2) }
        let first = try logs.start(logs.path("app/app.log"))
        #expect(try await logs.stored(2) == ["1", "2"])
        _ = await logs.stop(first)
        try logs.append("3\n", to: "app/app.log")
        let second = try logs.start(logs.path("app/app.log"))
        #expect(try await logs.stored(3) == ["1", "2", "3"])
        let ran = await logs.stop(second)
        #expect(!ran.err.contains("truncated") && !ran.err.contains("gone"), "\(ran)")
    }

    @Test func `paths that look alike are files of their own`() async throws {
        let (composed, decomposed) = ("caf\u{E9}.log", "cafe\u{301}.log")
        try logs.append("composed\n", to: composed)
        try logs.append("decomposed\n", to: decomposed)
        let first = try logs.start(logs.path(composed))
        #expect(try await logs.stored(1) == ["composed"])
        try logs.append("1\n", to: composed)
        #expect(try await logs.stored(2) == ["composed", "1"])
        _ = await logs.stop(first)
        let second = try logs.start(logs.path(composed), logs.path(decomposed))
        #expect(try await logs.stored(3) == ["composed", "1", "decomposed"])
        _ = await logs.stop(second)
    }

    @Test func `a path that cannot be followed stops no other flow of an agent`() async throws {
        let service = try AcceptingService()
        let logs = try FollowedLogs(to: service.url)
        func received() -> [String] { service.payloads.map { String(decoding: $0, as: UTF8.self) } }
        try logs.append("1\n")
        try FileManager.default.createDirectory(atPath: logs.path("directory"), withIntermediateDirectories: false)
        let flows = ["app.log", "directory"].map {
            #"{"filePattern":"\#(logs.path($0))","kinesisStream":"s","initialPosition":"START_OF_FILE","maxBufferAgeMillis":1000}"#
        }
        let file = logs.tool.home.path("agent.json")
        try Data(#"{"flows":[\#(flows.joined(separator: ","))]}"#.utf8).write(to: URL(fileURLWithPath: file))
        let running = try logs.tool.start(["agent", "-c", file])
        try await waitUntil { received() == ["1\n"] }
        try logs.remove("directory")
        try logs.append("2\n", to: "directory")
        try await waitUntil { received() == ["1\n", "2\n"] }
        #expect(received() == ["1\n", "2\n"])
        let ran = await logs.stop(running)
        #expect(ran.err.contains("directory is not followed: it is a directory"), "\(ran)")
    }
}
