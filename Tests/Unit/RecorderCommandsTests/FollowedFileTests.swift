import FileFollowing
import Foundation
import RecorderStore
import RecorderTestSupport
import Testing

/// What becomes of files that are unusual, out of reach or altered.
@Suite(.timeLimit(.minutes(5))) struct FollowedFileTests {
    private let logs: FollowedLogs

    init() throws {
        logs = try FollowedLogs()
    }

    @Test func `a file on a file system that is not mounted is read on when it is mounted again`() async throws {
        try logs.append("1\n")
        let first = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(1) == ["1"])
        _ = await logs.stop(first)
        // An empty file system hides the directory.
        guard geteuid() == 0, mount("tmpfs", logs.directory.path, "tmpfs", 0, nil) == 0 else {
            return print("skipped: a file system can only be mounted as root.")
        }
        let second = try logs.start(logs.path("app.log"))
        try await waitUntil { second.printedErrors.contains("app.log cannot be reached") }
        _ = await logs.stop(second)
        #expect(umount(logs.directory.path) == 0)
        try logs.append("2\n")
        let third = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(2) == ["1", "2"])
        #expect(await logs.stop(third).err.contains("gone") == false)
    }

    @Test func `a link to nothing keeps its position, and is read on when its target is there again`() async throws {
        try logs.append("1\n", to: "a.txt")
        try FileManager.default.createSymbolicLink(
            atPath: logs.path("app.log"),
            withDestinationPath: logs.path("a.txt")
        )
        let first = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(1) == ["1"])
        _ = await logs.stop(first)
        try logs.rename("a.txt", to: "b.txt")
        try logs.append("other\n", to: "other.log")
        let second = try logs.start(logs.path("app.log"), logs.path("other.log"))
        #expect(try await logs.stored(2) == ["1", "other"])
        _ = await logs.stop(second)
        try logs.rename("b.txt", to: "a.txt")
        try logs.append("2\n", to: "a.txt")
        let third = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(3) == ["1", "other", "2"])
        #expect(await logs.stop(third).err.contains("gone") == false)
    }

    @Test func `a file that is renamed to fit another path is read on`() async throws {
        try FileManager.default.createDirectory(atPath: logs.path("done"), withIntermediateDirectories: false)
        let paths = (logs.path("*.log"), logs.path("done/*.log"))
        try logs.append("1\n")
        let first = try logs.start(paths.0, paths.1)
        #expect(try await logs.stored(1) == ["1"])
        _ = await logs.stop(first)
        try logs.append("2\n")
        try logs.rename("app.log", to: "done/app.log")
        let second = try logs.start(paths.0, paths.1)
        #expect(try await logs.stored(2) == ["1", "2"])
        try logs.rename("done/app.log", to: "app.log")
        try logs.append("3\n")
        #expect(try await logs.stored(3) == ["1", "2", "3"])
        #expect(await logs.stop(second).err.contains("gone") == false)
    }

    @Test func `a file whose name is no text is named`() async throws {
        // Latin-1.
        let bytes = Array(logs.path("caf").utf8) + [0xE9] + Array(".log".utf8)
        let path = bytes.map { CChar(bitPattern: $0) } + [0]
        close(creat(path, 0o600))
        let running = try logs.start(logs.path("*.log"))
        try await waitUntil { running.printedErrors.contains("its name is not UTF-8") }
        _ = await logs.stop(running)
    }

    @Test func `two files that begin alike are both read`() async throws {
        let header = (1...50).map { "header \($0)" }
        try logs.append(header.map { "\($0)\n" }.joined(), to: "a.log")
        let running = try logs.start(logs.path("*.log"))
        #expect(try await logs.stored(50) == header)
        try logs.append(header.map { "\($0)\n" }.joined(), to: "b.log")
        #expect(try await logs.stored(100) == header + header)
        _ = await logs.stop(running)
    }

    @Test func `a line without end takes no memory`() async throws {
        try logs.append("1\n")
        let size = 300_000_000
        // Of zeros, which take no room on the disk.
        #expect(truncate(logs.path("app.log"), size) == 0)
        try logs.append("\n2\n")
        let running = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(2) == ["1", "2"])
        // A sanitizer keeps what was freed.
        if !isSanitized { #expect(try running.peakMemory() < 100_000_000) }
        let ran = await logs.stop(running)
        #expect(ran.err.contains("a line of 299,999,998 bytes was refused"), "\(ran)")
        try logs.append("3\n")
        let second = try logs.start(logs.path("app.log"))
        #expect(try await logs.stored(3) == ["1", "2", "3"])
        _ = await logs.stop(second)
    }

    @Test func `the copy of a file with few lines is not stored again`() async throws {
        try logs.append("1\n2\n")
        let running = try logs.start(logs.path("app.log*"))
        #expect(try await logs.stored(2) == ["1", "2"])
        try FileManager.default.copyItem(atPath: logs.path("app.log"), toPath: logs.path("app.log.1"))
        try Data().write(to: URL(fileURLWithPath: logs.path("app.log")), options: [])
        try logs.append("3\n")
        #expect(try await logs.stored(3) == ["1", "2", "3"])
        try logs.append("4\n")
        #expect(try await logs.stored(4) == ["1", "2", "3", "4"])
        _ = await logs.stop(running)
    }

    @Test func `a file that is truncated while the store is full is read anew, and that is reported`() async throws {
        let service = try AcceptingService()
        let logs = try FollowedLogs(to: service.url)
        func lines(_ name: String) -> [String] {
            (1...40).map { "\(name) \($0 + 100) " + String(repeating: "x", count: 100) }
        }
        try logs.append(lines("a").map { "\($0)\n" }.joined())
        let running = try logs.start(logs.path("app.log"), "--limit", "2000", "--max-record", "1K")
        try await waitUntil { running.printedErrors.contains("at its --limit") }
        let read = logs.stored
        try Data(lines("b").map { "\($0)\n" }.joined().utf8).write(
            to: URL(fileURLWithPath: logs.path("app.log")),
            options: []
        )
        try await waitUntil {
            _ = try await logs.tool.run("submit")
            return service.payloads.count >= read.count + 40
        }
        #expect(service.payloads.map { String(decoding: $0, as: UTF8.self) } == read + lines("b"))
        let ran = await logs.stop(running)
        #expect(ran.err.contains("truncated in place"), "\(ran)")
    }

    @Test(arguments: [
        (2_000, "", FileStart.resumed), (1_500, "", .endLost(at: 1_200)), (1_500, "new lines", .endLost(at: 1_200)),
        (1_100, "", .truncated), (0, "new lines", .truncated), (900, "new lines", .endLost(at: 800)),
    ])
    func `after a power cut, reading goes on where the file is as it was read`(
        size: Int,
        added: String,
        start: FileStart
    ) throws {
        let bytes = (0..<2_000).map { _ in UInt8.random(in: 65...90) }
        try logs.append(String(decoding: bytes, as: UTF8.self))
        func fingerprint(_ range: Range<Int>) -> FilePosition.Fingerprint {
            Array(bytes[range]).withUnsafeBytes { FilePosition.Fingerprint(of: $0) }
        }
        var position = FilePosition(stream: "app", pattern: "app.log")
        (position.head, position.tail, position.offset) = (fingerprint(0..<1_024), fingerprint(976..<2_000), 2_000)
        let settled = size == 900 ? 800 : 1_200
        (position.settled.tail, position.settled.offset) = (fingerprint(max(settled - 1_024, 0)..<settled), settled)
        position.boot = "the last one"
        #expect(truncate(logs.path("app.log"), size) == 0)
        try logs.append(added)
        let file = try #require(OpenFiles(LinuxFileSystem()).open(logs.path("app.log"), followsLink: true))
        #expect(FileStart(position, of: file, birth: 0, boot: "this one") == start)
        let withoutBoot = FileStart(position, of: file, birth: 0, boot: "the last one")
        #expect(withoutBoot == (start == .resumed ? .resumed : .truncated))
    }
}
