import CRecorderCurl
import Glibc
import RecorderConcurrency

/// The sockets of libcurl's connections.
enum CurlSockets {
    private static let opened = Locked<Set<Int32>>([])

    /// Opens [a connection's socket](https://curl.se/libcurl/c/CURLOPT_OPENSOCKETFUNCTION.html) as libcurl would, but so that neither
    /// a program that the process starts nor a forked child keeps it.
    static let open: curl_opensocket_callback = { _, _, address in
        guard let address = address?.pointee else { return CURL_SOCKET_BAD }
        OwnDescriptors.occupyStandard()
        let kind = address.socktype | CInt(SOCK_CLOEXEC.rawValue)
        let file = socket(address.family, kind, address.protocol)
        guard file >= 0 else { return file }
        OwnDescriptors.note(file)
        opened.withLock { _ = $0.insert(file) }
        return file
    }

    static let close: curl_closesocket_callback = { _, file in
        opened.withLock { _ = $0.remove(file) }
        OwnDescriptors.close(file)
        return 0
    }

    /// The bytes that wait in a connection's socket, or are on their way, until the other side acknowledges them. The connection is
    /// known by its ports: while a request is under way, libcurl does not tell its socket.
    static func bytesUnacknowledged(fromPort local: Int, toPort remote: Int) -> Int64 {
        var count = CInt(0)
        let found = opened.withLock { $0 }.first {
            port(of: $0, getsockname) == local && port(of: $0, getpeername) == remote
        }
        // SIOCOUTQ: https://man7.org/linux/man-pages/man7/tcp.7.html
        guard let found, ioctl(found, UInt(TIOCOUTQ), &count) == 0 else { return 0 }
        return Int64(count)
    }

    private static func port(
        of socket: Int32,
        _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int? {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(socket, $0, &size) }
        }
        // In an address of version 4 it is at the same place.
        return code == 0 ? Int(UInt16(bigEndian: address.sin6_port)) : nil
    }
}
