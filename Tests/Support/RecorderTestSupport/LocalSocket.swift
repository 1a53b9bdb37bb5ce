import Glibc

/// One socket; closed when it is released.
package final class LocalSocket: Sendable {
    /// A system call that failed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        init(description: String) {
            self.description = description
        }

        init(doing what: String) {
            description = "\(what): \(String(cString: strerror(errno)))"
        }
    }

    /// The file descriptor.
    let descriptor: CInt

    /// The numeric address that it is bound or connected to.
    let host: String

    init(owning descriptor: CInt, host: String = loopbackHost) {
        self.descriptor = descriptor
        self.host = host
    }

    deinit { close(descriptor) }

    package static let loopbackHost = "127.0.0.1"

    /// A socket bound to a free loopback port. Until something listens there, connections are refused.
    package static func loopback() throws -> LocalSocket { try bound(to: loopbackHost) }

    /// A socket bound to a free port of a numeric address of this machine, such as `::1`.
    package static func bound(to host: String) throws -> LocalSocket {
        try opened(host, port: 0, "bind") { bind($0, $1, $2) }
    }

    /// Whether this machine has an IPv6 loopback address.
    package static var hasIPv6: Bool { (try? bound(to: "::1")) != nil }

    /// A connection to a port.
    static func connected(to port: UInt16, of host: String = loopbackHost) throws -> LocalSocket {
        try opened(host, port: port, "connect") { connect($0, $1, $2) }
    }

    private static func opened(
        _ host: String,
        port: UInt16,
        _ name: String,
        _ call: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) throws -> LocalSocket {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &found)
        guard code == 0, let found else {
            throw Failure(description: "\(host): \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(found) }
        let address = found.pointee
        let descriptor = socket(address.ai_family, address.ai_socktype | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(doing: "socket") }
        let socket = LocalSocket(owning: descriptor, host: host)
        guard call(descriptor, address.ai_addr, address.ai_addrlen) == 0 else { throw Failure(doing: name) }
        return socket
    }

    /// The port it is bound to.
    package var port: UInt16 {
        // The port has the same offset in IPv4 and IPv6 addresses.
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return UInt16(bigEndian: address.sin6_port)
    }

    /// Host and port as in a URL: `127.0.0.1:80`, `[::1]:80`.
    package var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Limits what the kernel receives before it is read, also for the connections that a listener accepts.
    func limitReceiveBuffer() {
        var size = CInt(64 << 10)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Makes the next close a reset: the peer gets an error instead of an end of stream.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Sends all bytes; false once the peer has disconnected. If the socket is closed next, they arrive together with its end:
    /// the peer never has the answer and takes the connection for an open one.
    func write(_ bytes: some Sequence<UInt8>, closesNext: Bool = false) -> Bool {
        let bytes = Array(bytes)
        let flags = closesNext ? Int(MSG_NOSIGNAL) | Int(MSG_MORE) : Int(MSG_NOSIGNAL)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, CInt(flags))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Appends the received bytes, waiting for at least one; false at the end of the stream.
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

    /// Waits this long; false if the peer disconnects first.
    func isAlive(after time: Duration) -> Bool {
        // 0x2000 is POLLRDHUP, which glibc declares for GNU sources only.
        var request = pollfd(fd: descriptor, events: 0x2000, revents: 0)
        let (seconds, attoseconds) = time.components
        return poll(&request, 1, CInt(seconds * 1000 + attoseconds / 1_000_000_000_000_000)) == 0
    }
}
