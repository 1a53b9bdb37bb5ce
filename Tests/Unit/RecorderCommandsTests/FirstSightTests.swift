import Foundation
import RecorderTestSupport
import Testing

/// Where reading begins with files that are found for the first time, and which files belong to a pattern.
@Suite(.timeLimit(.minutes(5))) struct FirstSightTests {
    private let logs: FollowedLogs

    init() throws {
        logs = try FollowedLogs()
    }

    @Test(arguments: [("logs/*.log", "app.log", "other.log"), ("logs/*/app.log", "a/app.log", "b/app.log")])
    func `from the end, no line is read of a file that could not be looked at when it was first followed`(
        pattern: String,
        first: String,
        second: String
    ) async throws {
        for name in ["a", "b"] {
            let directory = logs.path("real/\(name)")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        try logs.append("old\n", to: "real/\(first)")
        try FileManager.default.createSymbolicLink(atPath: logs.path("logs"), withDestinationPath: logs.path("logs"))
        let running = try logs.start(logs.path(pattern), "--from-end")
        try await waitUntil { running.printedErrors.contains("logs is not followed") }
        try logs.remove("logs")
        try logs.rename("real", to: "logs")
        try await waitUntil { try logs.positions() == [logs.path("logs/\(first)")] }
        try logs.append("later\n", to: "logs/\(second)")
        #expect(try await logs.stored(1) == ["later"])
        try logs.append("new\n", to: "logs/\(first)")
        #expect(try await logs.stored(2) == ["later", "new"])
        #expect(await logs.stop(running).status == 0)
    }

    @Test func `of a file that is older than is wanted, what is added is read`() async throws {
        try logs.append("old\n", to: "old.log")
        try logs.append("1\n")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -8 * 86_400)],
            ofItemAtPath: logs.path("old.log")
        )
        let running = try logs.start(logs.path("*.log"), "--ignore-older", "7d")
        #expect(try await logs.stored(1) == ["1"])
        try logs.append("2\n", to: "old.log")
        #expect(try await logs.stored(2) == ["1", "2"])
        #expect(await logs.stop(running).err.contains("old.log is not read: its 4 bytes are older"))
    }

    @Test func `a new file is not taken for one whose position was lost when the store was damaged`() async throws {
        try logs.append("1\n")
        _ = await logs.stop(try await started("app.log", stored: 1))
        try Data(repeating: 0x5A, count: 100_000).write(to: URL(fileURLWithPath: logs.database))
        try FileManager.default.removeItem(atPath: "\(logs.database)-wal")
        let ran = await logs.stop(try await started("app.log", stored: 1))
        #expect(ran.err.contains("the position of \(logs.path("app.log")) was lost"), "\(ran)")
        try logs.append("2\n", to: "other.log")
        let later = await logs.stop(try await started("other.log", stored: 2))
        #expect(!later.err.contains("was lost"), "\(later)")
    }

    private func started(_ name: String, stored count: Int) async throws -> RunningTool {
        let running = try logs.start(logs.path(name))
        #expect(try await logs.stored(count).count == count)
        return running
    }

    @Test func `a file beside the directories of a pattern is no problem`() async throws {
        for path in ["a/logs/b", "a/logs/c"] {
            try FileManager.default.createDirectory(atPath: logs.path(path), withIntermediateDirectories: true)
        }
        for name in ["notes", "a/logs/notes", "a/logs/b/app.log"] { try logs.append("1\n", to: name) }
        let ran = try await logs.tool.run("follow", "app", logs.path("*/logs/*/app.log"), "--dry-run")
        #expect(ran.status == 0 && ran.err.isEmpty)
        #expect(ran.out.split(separator: "\n").dropFirst() == ["  \(logs.path("a/logs/b/app.log")), 2 B"], "\(ran)")
    }

    @Test func `files are found below any directory, and those that are excluded are not`() async throws {
        for path in ["a/b", "a/.hidden", "old"] {
            try FileManager.default.createDirectory(atPath: logs.path(path), withIntermediateDirectories: true)
        }
        for name in ["1.log", "a/2.log", "a/b/3.log", "a/.hidden/4.log", "old/5.log", "a/debug.log"] {
            try logs.append("\(name)\n", to: name)
        }
        let excluded = ["--exclude", "debug*", "--exclude", logs.path("old/*")]
        let running = try logs.tool.start(["follow", "app", logs.path("**/*.log")] + excluded)
        #expect(Set(try await logs.stored(3)) == ["1.log", "a/2.log", "a/b/3.log"])
        try FileManager.default.createDirectory(atPath: logs.path("a/b/c"), withIntermediateDirectories: false)
        try logs.append("debug\n", to: "a/b/c/debug-1.log")
        try logs.append("new\n", to: "a/b/c/new.log")
        #expect(try await logs.stored(4).last == "new")
        _ = await logs.stop(running)
        #expect(logs.stored.count == 4)
    }

    @Test func `a file that was rotated more than a thousand times is read under its last name`() async throws {
        try logs.append("1\n")
        _ = await logs.stop(try await started("app.log", stored: 1))
        try logs.append("2\n")
        try logs.rename("app.log", to: "app.log.1000")
        try logs.append("3\n", to: "app-10001.log")
        _ = await logs.stop(try await started("app.log", stored: 3))
        #expect(Set(logs.stored) == ["1", "2", "3"])
    }

    @Test func `a file that is read because it has the name of a rotated one is named once`() async throws {
        try logs.append("1\n")
        try logs.append("old\n", to: "app-2.log")
        let running = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(1) == ["1"])
        try logs.append("2\n", to: "app-2.log")
        #expect(try await logs.stored(2) == ["1", "2"])
        try logs.append("3\n", to: "app-2.log")
        #expect(try await logs.stored(3) == ["1", "2", "3"])
        let ran = await logs.stop(running)
        #expect(ran.err.matches(of: /app-2\.log is read, too/).count == 1, "\(ran)")
    }
}
