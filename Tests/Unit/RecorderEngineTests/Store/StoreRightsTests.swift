import Foundation
import RecorderEngine
import RecorderTestSupport
import Testing

/// Who may write where records wait, and what is said and done about it when a store is opened.
@Suite struct StoreRightsTests {
    private static let files = ["", "-wal", "-shm", ".lock", ".submit", ".reserve"].map { "kinesis.db\($0)" }
    /// A user that is not this one.
    private static let other: uid_t = 54_321
    private static let isRoot = geteuid() == 0

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

    /// Leaves every file of a store, as a process does that died.
    private func fill() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: directory)
        try await harness.save("sent")
        #expect(try await harness.flush().delivered == 1)
        try await harness.save("kept")
        for name in Self.files where mode(directory.path(name)) == nil {
            _ = FileManager.default.createFile(atPath: directory.path(name), contents: nil)
        }
    }

    // MARK: the directory

    @Test(arguments: [0o777, 0o770, 0o702, 0o720, 0o2775] as [mode_t])
    func `a directory that others can write is refused with the command that mends it`(bits: mode_t) async throws {
        let place = directory.path("store")
        #expect(mkdir(place, 0o700) == 0 && chmod(place, bits) == 0)
        let message = await refusal(place)
        #expect(message.contains("can be written by other users"), "\(message)")
        #expect(message.contains("chmod go-w \(place)"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
        #expect(chmod(place, bits & ~0o022) == 0)
        try await PipelineHarness(in: directory, at: place).save("kept")
        #expect(mode(place) == bits & ~0o022, "a directory that the user named keeps its mode")
    }

    @Test func `in a directory for everybody's files the advice is a directory of one's own`() async throws {
        let place = directory.path("tmp")
        #expect(mkdir(place, 0o700) == 0 && chmod(place, 0o1777) == 0)
        let message = await refusal(place)
        #expect(message.contains("can be written by other users") && message.contains("\(place)/records"), "\(message)")
        #expect(!message.contains("chmod"))
        try await PipelineHarness(in: directory, at: "\(place)/records").save("kept")
    }

    @Test(arguments: [0o777, 0o755, 0o750] as [mode_t])
    func `the library's own directory is made private again`(bits: mode_t) async throws {
        let place = directory.path("com.amazonaws.AWSKinesisRecorder")
        try await PipelineHarness(in: directory, at: place).save("one")
        #expect(mode(place) == 0o700)
        #expect(chmod(place, bits) == 0)
        try await PipelineHarness(in: directory, at: place).save("two")
        #expect(mode(place) == 0o700)
    }

    @Test func `directories that are made are for this user only, whatever the umask`() async throws {
        let place = directory.path("a/b/c")
        try await PipelineHarness(in: directory, at: place).save("kept")
        for path in [place, directory.path("a/b"), directory.path("a")] { #expect(mode(path) == 0o700) }
    }

    @Test(.enabled(if: isRoot, "only root can give a directory away"))
    func `another user's directory is refused, and stays empty`() async throws {
        let place = directory.path("it's theirs")
        #expect(mkdir(place, 0o755) == 0 && chown(place, Self.other, Self.other) == 0)
        let message = await refusal(place)
        #expect(message.contains("belongs to another user (id \(Self.other))"), "\(message)")
        #expect(message.contains("AWS_KINESIS_RECORDER_DIR"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
    }

    @Test(.enabled(if: isRoot, "only root can give a directory away"))
    func `an owner that is not known in this container is said to be that`() async throws {
        let place = directory.path("store")
        #expect(mkdir(place, 0o755) == 0 && chown(place, 65_534, 65_534) == 0)
        let message = await refusal(place)
        #expect(message.contains("id 65534") && message.contains("container"), "\(message)")
    }

    // MARK: the files

    @Test(.enabled(if: isRoot, "only root can give a file away"), arguments: files)
    func `another user's file is refused with the command that mends it`(name: String) async throws {
        try await fill()
        let path = directory.path(name)
        #expect(chown(path, Self.other, Self.other) == 0)
        let message = await refusal()
        #expect(message.contains("\(path) belongs to another user (id \(Self.other))"), "\(message)")
        #expect(message.contains("sudo chown \(geteuid()) \(path)"))
        #expect(chown(path, geteuid(), getegid()) == 0)
        let harness = try PipelineHarness(in: directory)
        try await harness.save("another")
        #expect(try harness.records() == 2)
    }

    @Test(arguments: files)
    func `a file that others can read or write is made private`(name: String) async throws {
        try await fill()
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
        // A lock that belongs to the descriptor meets those of the process.
        #expect(fcntl(file, 36 /* F_OFD_GETLK */, &lock) == 0 && lock.l_type == Int16(F_RDLCK))
        close(file)
    }

    @Test(arguments: files)
    func `what is no file in a file's place is refused, and waits for nobody`(name: String) async throws {
        let path = directory.path(name)
        #expect(mkfifo(path, 0o600) == 0)
        let message = await refusal()
        #expect(message.contains("\(path) is not a file"), "\(message)")
    }

    @Test func `a path with blanks is quoted in the command`() async throws {
        let place = directory.path("it's here")
        #expect(mkdir(place, 0o700) == 0 && chmod(place, 0o777) == 0)
        #expect(await refusal(place).contains(#"chmod go-w '\#(directory.path)/it'\''s here'"#))
    }
}
