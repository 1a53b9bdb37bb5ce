import Foundation
import Glibc
import RecorderHTTP
import RecorderTestSupport
import Testing

/// The numbers and the life of connections' descriptors.
@Suite(.timeLimit(.minutes(5))) struct ConnectionDescriptorTests {
    @Test func `a program that the process starts inherits no connection`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LocalServer { _, _ in
            gate.wait()
            return .json(200, "{}")
        }
        let request = Task { try await CurlTransport.shared.send(HTTPRequest(url: server.url)) }
        await server.received(1)
        let connections = Self.descriptors(connectedTo: server.port)
        #expect(connections.count == 1)
        for file in connections { #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0) }
        gate.open()
        _ = try await request.value
    }

    /// In a separate process, whose standard files are closed. The server is not in it: a thread that waits in `accept` holds the
    /// lowest free number already.
    @Test func `no connection gets the number of a closed standard file`() async throws {
        let server = try LocalServer { _, _ in .json(200, "{}") }
        await #expect(processExitsWith: .success) { [url = server.url as String] in
            for file in 0...2 as ClosedRange<CInt> { close(file) }
            let answer = try await CurlTransport.shared.send(HTTPRequest(url: url))
            let files = (0...2).map {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) ?? ""
            }
            // One may have become a timer of libdispatch's.
            let areSafe = files.contains("/dev/null") && !files.contains { $0.hasPrefix("socket:") }
            exit(answer.status == 200 && areSafe ? 0 : 1)
        }
    }

    private static func descriptors(connectedTo port: UInt16) -> [CInt] {
        (0..<4_096).filter { file in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(file, $0, &size) }
            }
            return status == 0 && address.sin_family == AF_INET && address.sin_port == port.bigEndian
        }
    }
}
