import Foundation
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// The owners and modes of a store's directory and files, which are checked when it is opened.
@Suite struct StoreRightsTests {
    private static let files = ["", "-wal", "-shm", ".lock", ".submit", ".reserve"].map { "kinesis.db\($0)" }
    /// A user that is not this one.
    private static let other: uid_t = 54_321

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    private func refusal(_ path: String? = nil) async -> String {
        let error = await #expect(throws: RecorderError.self) {
            try await PipelineHarness(in: directory, at: path).save("refused")
        }
        return error?.message ?? ""
    }

    /// Creates all files of a store, and keeps them as long as the result exists.
    private func fill() async throws -> PipelineHarness {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: directory)
        try await harness.save("sent")
        #expect(try await harness.flush().delivered == 1)
        try await harness.save("kept")
        for name in Self.files where mode(directory.path(name)) == nil {
            _ = FileManager.default.createFile(atPath: directory.path(name), contents: nil)
        }
        return harness
    }

    // MARK: the directory

    @Test(arguments: [0o777, 0o770, 0o702, 0o720, 0o2775] as [mode_t])
    func `a directory that others can write is refused with the command that repairs it`(bits: mode_t) async throws {
        let path = directory.path("store")
        #expect(mkdir(path, 0o700) == 0 && chmod(path, bits) == 0)
        let message = await refusal(path)
        #expect(message.contains("can be written by other users"), "\(message)")
        #expect(message.contains("chmod go-w \(path)"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
        #expect(chmod(path, bits & ~0o022) == 0)
        try await PipelineHarness(in: directory, at: path).save("kept")
        #expect(mode(path) == bits & ~0o022, "a directory that the user named keeps its mode")
    }

    @Test func `for a shared directory such as /tmp the error suggests a subdirectory`() async throws {
        let path = directory.path("tmp")
        #expect(mkdir(path, 0o700) == 0 && chmod(path, 0o1777) == 0)
        let message = await refusal(path)
        #expect(message.contains("can be written by other users") && message.contains("\(path)/records"), "\(message)")
        #expect(!message.contains("chmod"))
        try await PipelineHarness(in: directory, at: "\(path)/records").save("kept")
    }

    @Test(arguments: [0o777, 0o755, 0o750] as [mode_t])
    func `the library's own directory is made private again`(bits: mode_t) async throws {
        let path = directory.path("com.amazonaws.AWSKinesisRecorder")
        try await PipelineHarness(in: directory, at: path).save("one")
        #expect(mode(path) == 0o700)
        #expect(chmod(path, bits) == 0)
        try await PipelineHarness(in: directory, at: path).save("two")
        #expect(mode(path) == 0o700)
    }

    @Test func `created directories are private, whatever the umask`() async throws {
        let path = directory.path("a/b/c")
        try await PipelineHarness(in: directory, at: path).save("kept")
        for path in [path, directory.path("a/b"), directory.path("a")] { #expect(mode(path) == 0o700) }
    }

    @Test(.enabled(if: Privileges.givesFilesAway, "only root can give a directory away, and not in each container"))
    func `another user's directory is refused, and stays empty`() async throws {
        let path = directory.path("it's theirs")
        #expect(mkdir(path, 0o755) == 0 && chown(path, Self.other, Self.other) == 0)
        let message = await refusal(path)
        #expect(message.contains("belongs to another user (id \(Self.other))"), "\(message)")
        #expect(message.contains("AWS_KINESIS_RECORDER_DIR"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }

    @Test(.enabled(if: Privileges.givesFilesAway, "only root can give a directory away, and not in each container"))
    func `an owner that is unknown in this container is reported as such`() async throws {
        let path = directory.path("store")
        #expect(mkdir(path, 0o755) == 0 && chown(path, 65_534, 65_534) == 0)
        let message = await refusal(path)
        #expect(message.contains("id 65534") && message.contains("container"), "\(message)")
    }

    // MARK: the files

    @Test(
        .enabled(if: Privileges.givesFilesAway, "only root can give a file away, and not in each container"),
        arguments: files
    )
    func `another user's file is refused with the command that repairs it`(name: String) async throws {
        let open = try await fill()
        defer { withExtendedLifetime(open) {} }
        let path = directory.path(name)
        #expect(chown(path, Self.other, Self.other) == 0)
        let message = await refusal()
        #expect(message.contains("\(path) belongs to another user (id \(Self.other))"), "\(message)")
        #expect(message.contains("sudo chown \(geteuid()) \(path)"))
        // An idle store closes its database, which removes two of the files.
        #expect(chown(path, geteuid(), getegid()) == 0 || errno == ENOENT)
        let harness = try PipelineHarness(in: directory)
        try await harness.save("another")
        #expect(try harness.records() == 2)
    }

    @Test(arguments: files)
    func `a file that others can read or write is made private`(name: String) async throws {
        let open = try await fill()
        defer { withExtendedLifetime(open) {} }
        let path = directory.path(name)
        for bits in [0o644, 0o666, 0o777] as [mode_t] {
            #expect(chmod(path, bits) == 0)
            let harness = try PipelineHarness(in: directory)
            try await harness.save("another")
            // Without a service the submit gets as far as its lease.
            _ = try? await harness.flush()
            #expect(mode(path).map { $0 & 0o077 } == 0)
        }
    }

    @Test func `making a file private keeps the locks of the connections that have it open`() async throws {
        let first = try PipelineHarness(in: directory)
        try await first.save("first")
        #expect(chmod(first.path, 0o644) == 0)
        let second = try PipelineHarness(in: directory)
        try await second.save("second")
        #expect(mode(first.path) == 0o600)
        // SQLite holds a shared lock of the database for as long as a connection to its log is open.
        let file = open(first.path, O_RDWR | O_CLOEXEC)
        var lock = flock()
        (lock.l_type, lock.l_start, lock.l_len) = (Int16(F_WRLCK), 0x4000_0002, 510)
        // A lock of the descriptor conflicts with those of the process.
        #expect(fcntl(file, 36 /* F_OFD_GETLK */, &lock) == 0 && lock.l_type == Int16(F_RDLCK))
        close(file)
    }

    @Test(.enabled(if: Privileges.givesFilesAway, "only root can give a file away, and not in each container"))
    func `a store of another user that cannot be read is not locked afterwards`() async throws {
        let path = directory.path("theirs")
        let location = StoreLocation(directory: path, fileName: "kinesis.db")
        try await PipelineHarness(in: directory, at: path).save("kept")
        try SQLiteConnection(path: location.path, access: .readWrite).execute("PRAGMA user_version = 99")
        for name in try FileManager.default.contentsOfDirectory(atPath: path) + ["."] {
            #expect(chown("\(path)/\(name)", Self.other, Self.other) == 0)
        }
        let error = #expect(throws: RecorderError.self) { try RejectedRecords(at: location) }
        #expect(error?.message.contains("another version") == true)
        let lock = open("\(location.path).lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    }

    @Test(arguments: files)
    func `a FIFO at the path of a file is refused without blocking`(name: String) async throws {
        let path = directory.path(name)
        #expect(mkfifo(path, 0o600) == 0)
        let message = await refusal()
        #expect(message.contains("\(path) is not a file"), "\(message)")
    }

    @Test func `a path with spaces is quoted in the command`() async throws {
        let path = directory.path("it's here")
        #expect(mkdir(path, 0o700) == 0 && chmod(path, 0o777) == 0)
        #expect(await refusal(path).contains(#"chmod go-w '\#(directory.path)/it'\''s here'"#))
    }
}
