import Foundation
import RecorderHTTP
import RecorderTestSupport
import Testing

/// Older releases of OpenSSL write to a closed connection without `MSG_NOSIGNAL`, which by default ends the process.
@Suite(.timeLimit(.minutes(10))) struct BrokenPipeTests {
    @Test func `the sending thread blocks SIGPIPE, and no other thread is changed`() async throws {
        let server = try LocalServer { _, _ in .json(200, "{}") }
        let before = Self.isBlocked(in: try Self.status(ofThread: "self"))
        _ = try await CurlTransport(certificateAuthorities: nil).send(HTTPRequest(url: server.url))
        let shared = CurlTransport(certificateAuthorities: nil)
        _ = try await shared.send(HTTPRequest(url: server.url))
        var found = 0
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
            // Threads of other tests may end at any time.
            guard let status = try? Self.status(ofThread: thread), status.hasPrefix("Name:\trecorder-http\n") else {
                continue
            }
            found += 1
            #expect(Self.isBlocked(in: status))
        }
        #expect(found >= 1)
        #expect(Self.isBlocked(in: try Self.status(ofThread: "self")) == before)
        withExtendedLifetime(shared) {}
    }

    private static func status(ofThread thread: String) throws -> String {
        let path = thread == "self" ? "/proc/thread-self/status" : "/proc/self/task/\(thread)/status"
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    private static func isBlocked(in status: String) -> Bool {
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
        let mask = line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) } ?? 0
        return mask & 1 << UInt64(SIGPIPE - 1) != 0
    }
}
