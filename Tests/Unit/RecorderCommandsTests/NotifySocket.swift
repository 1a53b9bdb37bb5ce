import Foundation
import Glibc
import RecorderConcurrency
import Testing

/// A socket that receives datagrams as systemd's does.
final class NotifySocket {
    let name: String
    private let file: Int32

    init(_ name: String) throws {
        self.name = name
        file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        try withAddress { try #require(bind(file, $0, $1) == 0) }
    }

    private func withAddress(_ use: (UnsafePointer<sockaddr>, socklen_t) throws -> Void) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = name.hasPrefix("@") ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8) + [0]
        try #require(bytes.count <= MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { try use($0, length) }
        }
    }

    deinit { close(file) }

    /// Sends itself as much as there is room for.
    func fill() throws {
        let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(sender) }
        try withAddress { try #require(connect(sender, $0, $1) == 0) }
        while send(sender, "", 0, Int32(MSG_DONTWAIT)) == 0 {}
        try #require(errno == EAGAIN)
    }

    /// Whether nothing was sent that was not read.
    var isEmpty: Bool {
        var arrival = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        return poll(&arrival, 1, 0) == 0
    }

    /// The next datagram; empty if none comes for a minute.
    func next() async -> String {
        let file = file
        let message = try? await onNewThread(named: "notify-socket") {
            var arrival = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&arrival, 1, 60_000) == 1 else { return "" }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = recv(file, &buffer, buffer.count, 0)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
        return message ?? ""
    }
}
