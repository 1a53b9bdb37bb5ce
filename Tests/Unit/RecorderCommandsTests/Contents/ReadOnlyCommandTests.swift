import Foundation
import RecorderSQLite
import RecorderTestSupport
import Testing

/// `status`, `peek`, `export`, `verify`, `rejected` and `list` of a store that this user does not or cannot write.
@Suite(.timeLimit(.minutes(5))) struct ReadOnlyCommandTests {
    private static let other: uid_t = 54_321

    /// The owner, the mode and, but for what SQLite's readers share, the content of every file, and of the directory.
    private func files(in directory: String) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory) + ["."]
        return try names.reduce(into: [:]) { found, name in
            let path = "\(directory)/\(name)"
            var status = stat()
            try #require(lstat(path, &status) == 0)
            let content =
                name == "." || name.hasSuffix("-shm") ? 0 : try Data(contentsOf: URL(fileURLWithPath: path)).hashValue
            found[name] = "\(status.st_uid):\(status.st_gid):\(status.st_mode):\(content)"
        }
    }

    private func give(_ directory: String, to owner: uid_t) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) + ["."] {
            try #require(chown("\(directory)/\(name)", owner, owner) == 0)
        }
    }

    /// Every command reads three records, and leaves the files as they are.
    private func expectReadable(_ tool: Tool, in directory: String, as named: String? = nil) async throws {
        let before = try files(in: directory)
        let named = named ?? directory
        let status = try await tool.run("status", "--json", "-d", named)
        #expect(status.status == 0 && status.out.contains(#""records" : 3"#), "\(status)")
        #expect(try await tool.run("export", "--raw", "-d", named).out == "1\n2\n3\n")
        let peek = try await tool.run("peek", "s", "-d", named)
        #expect(peek.status == 0 && peek.out.contains("2"), "\(peek)")
        let verify = try await tool.run("verify", "-d", named)
        #expect(verify.status == 0 && verify.out.contains("is sound: 3 records"), "\(verify)")
        let list = try await tool.run("list", "-d", directory)
        #expect(list.status == 0 && list.out.contains("3") && list.err.isEmpty, "\(list)")
        let rejected = try await tool.run("rejected", "-d", directory)
        #expect(rejected.status == 0 && rejected.err.isEmpty, "\(rejected)")
        #expect(try files(in: directory) == before)
    }

    /// What lies beside the database: `log` is what a program that was killed leaves, `index` its shared memory.
    enum Beside: CaseIterable { case nothing, log, logAndIndex, emptyLog, liveProgram }

    /// A store of three records.
    private func store(with beside: Beside, in directory: String, tool: Tool) async throws -> PipelineHarness? {
        let live = try PipelineHarness(url: nil, in: tool.home, at: directory)
        for text in ["1", "2", "3"] { try await live.save(text, to: "s") }
        guard beside != .liveProgram else { return live }
        // The copy has the log, as after a power cut.
        let copy = tool.home.path("copy")
        try FileManager.default.copyItem(atPath: directory, toPath: copy)
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.moveItem(atPath: copy, toPath: directory)
        let path = "\(directory)/kinesis.db"
        if beside == .nothing || beside == .emptyLog { try SQLiteConnection.emptyLog(of: path) }
        if beside == .log { try FileManager.default.removeItem(atPath: "\(path)-shm") }
        if beside == .emptyLog { #expect(FileManager.default.createFile(atPath: "\(path)-wal", contents: nil)) }
        return nil
    }

    @Test(
        .enabled(if: Privileges.givesFilesAway, "only root can give a file away, and not in each container"),
        arguments: Beside.allCases
    )
    func `root reads another user's store, and leaves no trace in it`(beside: Beside) async throws {
        let tool = try Tool()
        let directory = tool.home.path("theirs")
        let live = try await store(with: beside, in: directory, tool: tool)
        try give(directory, to: Self.other)
        try await expectReadable(tool, in: directory)
        withExtendedLifetime(live) {}
    }

    @Test(arguments: Beside.allCases)
    func `a store on a file system that is mounted for reading can be read`(beside: Beside) async throws {
        let tool = try Tool()
        let (directory, mounted) = (tool.home.path("store"), tool.home.path("mounted"))
        let live = try await store(with: beside, in: directory, tool: tool)
        #expect(mkdir(mounted, 0o700) == 0)
        guard geteuid() == 0, mount(directory, mounted, nil, UInt(MS_BIND), nil) == 0 else {
            return print("read-only mounts skipped: nothing can be mounted here.")
        }
        defer { umount2(mounted, Int32(MNT_DETACH)) }
        let flags = UInt(MS_BIND) | UInt(MS_REMOUNT) | UInt(MS_RDONLY)
        #expect(mount(nil, mounted, nil, flags, nil) == 0)
        try await expectReadable(tool, in: mounted)
        withExtendedLifetime(live) {}
    }

    @Test(.enabled(if: Privileges.givesFilesAway, "only root can give a file away, and not in each container"))
    func `a unit's state directory names its store, also through a link`() async throws {
        let tool = try Tool()
        let state = tool.home.path("private/unit")
        let directory = "\(state)/kinesis-recorder/com.amazonaws.AWSKinesisRecorder"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        _ = try await store(with: .logAndIndex, in: directory, tool: tool)
        try give(directory, to: Self.other)
        let link = tool.home.path("unit")
        #expect(symlink(state, link) == 0)
        try await expectReadable(tool, in: directory, as: state)
        try await expectReadable(tool, in: directory, as: link)
    }

    @Test(.enabled(if: Privileges.givesFilesAway, "only root can give a file away, and not in each container"))
    func `no advice is to take another user's store away`() async throws {
        let tool = try Tool()
        let directory = tool.home.path("theirs")
        let live = try await store(with: .liveProgram, in: directory, tool: tool)
        try give(directory, to: Self.other)
        for words in [["submit"], ["clear", "--yes"], ["save", "s"], ["doctor", "--offline"]] {
            let running = try tool.start(words + ["-d", directory])
            running.write(Data("4\n".utf8))
            let ran = await running.end()
            #expect(ran.status == 74 || words == ["doctor", "--offline"], "\(words): \(ran)")
            #expect((ran.out + ran.err).contains("sudo -u '#\(Self.other)'"), "\(words): \(ran)")
            #expect(!(ran.out + ran.err).contains("chown"), "\(words): \(ran)")
        }
        withExtendedLifetime(live) {}
    }
}
