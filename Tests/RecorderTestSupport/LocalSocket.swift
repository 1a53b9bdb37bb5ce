import Glibc

/// One socket; closed when it is released.
package final class LocalSocket: Sendable {
    /// What the system refused to do.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        init(description: String) {
            self.description = description
        }

        init(doing what: String) {
            description = "\(what): \(String(cString: strerror(errno)))"
        }
    }

    /// The system's number for it.
    let descriptor: CInt

    init(owning descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// A socket bound to a free loopback port. Until something listens there, connections are refused.
    package static func loopback() throws -> LocalSocket {
        try onLoopback(port: 0, "bind") { bind($0, $1, $2) }
    }

    /// A connection to a loopback port.
    static func connected(to port: UInt16) throws -> LocalSocket {
        try onLoopback(port: port, "connect") { connect($0, $1, $2) }
    }

    private static func onLoopback(
        port: UInt16,
        _ name: String,
        _ call: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) throws -> LocalSocket {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(doing: "socket") }
        let socket = LocalSocket(owning: descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isDone = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, size) == 0 }
        }
        guard isDone else { throw Failure(doing: name) }
        return socket
    }

    /// The port it is bound to.
    package var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Makes the coming close a reset: the peer gets an error instead of an end.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Sends all bytes; false once the peer is gone.
    func write(_ bytes: some Sequence<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Appends what came, waiting for at least one byte; false at the end of the stream.
    func read(into buffer: inout [UInt8]) -> Bool {
        let chunk = [UInt8](unsafeUninitializedCapacity: 64 << 10) { space, count in
            var received = -1
            repeat {
                received = recv(descriptor, space.baseAddress, space.count, 0)
            } while received < 0 && errno == EINTR
            count = max(received, 0)
        }
        buffer += chunk
        return !chunk.isEmpty
    }

    /// Waits this long, or until the peer goes away, which gives false.
    func isAlive(after time: Duration) -> Bool {
        // 0x2000 is POLLRDHUP, which the C library shows to GNU sources only.
        var request = pollfd(fd: descriptor, events: 0x2000, revents: 0)
        let (seconds, attoseconds) = time.components
        return poll(&request, 1, CInt(seconds * 1000 + attoseconds / 1_000_000_000_000_000)) == 0
    }
}
