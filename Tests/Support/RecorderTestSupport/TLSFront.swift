import Foundation
import Glibc

/// A TLS proxy in front of a local server: `openssl s_server` decrypts, and the decrypted bytes go to that server.
///
/// Handles one request at a time. A connection that fails the handshake never reaches the server.
package final class TLSFront: Sendable {
    /// The address, such as `https://127.0.0.1:40123`.
    package let url: String

    private let process: Process

    /// Starts it with its certificate and further arguments of `openssl s_server`; `host` is the address to listen on,
    /// an IPv6 address in brackets.
    package init(
        on host: String = LocalSocket.loopbackHost,
        before server: LocalServer,
        _ identity: TLSAuthority.Identity,
        arguments: [String] = []
    ) throws {
        let (input, output) = (Pipe(), Pipe())
        process = try TLSServer.openssl(
            ["s_server", "-accept", "\(host):0", "-cert", identity.certificate, "-key", identity.key] + arguments,
            input: input,
            output: output.fileHandleForWriting
        )
        try output.fileHandleForWriting.close()
        try input.fileHandleForReading.close()
        url = "https://\(host):\(try TLSServer.port(announcedOn: output.fileHandleForReading))"
        let port = server.port
        Thread.detachNewThread { Self.relay(from: output, to: port, back: input) }
    }

    deinit { kill(process.processIdentifier, SIGKILL) }

    /// Forwards the decrypted bytes from the first request on; before it, openssl prints details of the session.
    private static func relay(from output: Pipe, to port: UInt16, back input: Pipe) {
        var seen: [UInt8] = []
        var server: LocalSocket?
        while let piece = next(from: output.fileHandleForReading) {
            if let server {
                _ = server.write(piece)
            } else {
                seen += piece
                guard let start = seen.firstRange(of: Array("POST /".utf8)) else { continue }
                guard let socket = try? LocalSocket.connected(to: port) else { return }
                server = socket
                _ = socket.write(seen[start.lowerBound...])
                Thread.detachNewThread { answer(from: socket, to: input) }
            }
        }
    }

    private static func answer(from server: LocalSocket, to input: Pipe) {
        var bytes: [UInt8] = []
        while server.read(into: &bytes) {
            try? input.fileHandleForWriting.write(contentsOf: Data(bytes))
            bytes = []
        }
    }

    private static func next(from handle: FileHandle) -> [UInt8]? {
        let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { space, count in
            count = max(read(handle.fileDescriptor, space.baseAddress, space.count), 0)
        }
        return piece.isEmpty ? nil : piece
    }
}
