import Foundation
import Glibc
import RecorderAWS
import RecorderTestSupport
import Testing

/// Only regular files are read, whatever a path leads to, and none is waited for.
@Suite(.timeLimit(.minutes(5))) struct SmallFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func error(_ path: String, limit: Int = 100) -> String {
        #expect(throws: ConfigurationFailure.self) { try SmallFile.bytes(of: path, limit: limit) }?.message ?? ""
    }

    @Test func `a file is read up to its limit, and a longer one is refused, however its length is told`() throws {
        let path = directory.path("file")
        for count in [0, 1, 99, 100] {
            try Data(repeating: 7, count: count).write(to: URL(fileURLWithPath: path))
            #expect(try SmallFile.bytes(of: path, limit: 100)?.count == count)
        }
        #expect(truncate(path, 1 << 40) == 0)
        #expect(error(path) == "\(path) is longer than 100 bytes.")
        // Files of /proc have length 0.
        #expect(error("/proc/self/environ", limit: 1).hasSuffix("is longer than 1 bytes."))
    }

    @Test func `a missing file is none, and /dev/null an empty one`() throws {
        #expect(try SmallFile.bytes(of: directory.path("none"), limit: 1) == nil)
        #expect(try SmallFile.bytes(of: "/dev/null/none", limit: 1) == nil)
        #expect(try SmallFile.bytes(of: "/dev/null", limit: 1) == [])
    }

    @Test(arguments: ["a FIFO", "a directory", "a socket", "a device"])
    func `anything else is refused by its kind, also behind a link`(kind: String) throws {
        let path = directory.path("it")
        switch kind {
        case "a FIFO": #expect(mkfifo(path, 0o600) == 0)
        case "a directory": #expect(mkdir(path, 0o700) == 0)
        case "a socket":
            // mknod makes one without the limit of a socket's address.
            #expect(mknod(path, S_IFSOCK | 0o600, 0) == 0)
        default: #expect(symlink("/dev/zero", path) == 0)
        }
        let link = directory.path("link")
        #expect(symlink(path, link) == 0)
        for path in [path, link] {
            #expect(error(path) == "\(path) cannot be read: it is \(kind). Name a regular file.")
        }
    }

    @Test func `what keeps a path from being followed is named`() throws {
        let loop = directory.path("loop")
        #expect(symlink(loop, loop) == 0)
        #expect(error(loop).contains("\(loop) is a symbolic link to \(loop), which is part of a loop"))
        guard geteuid() != 0 else { return }
        let closed = directory.path("closed")
        #expect(mkdir(closed, 0o000) == 0)
        #expect(error("\(closed)/file").contains("\(closed)/file: Permission denied. Let this user read it"))
    }
}
