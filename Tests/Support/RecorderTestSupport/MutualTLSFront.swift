/// A TLS proxy in front of a local server, which requires a certificate of the authority from its clients and refuses the
/// revoked ones. A connection that fails the handshake never reaches the server.
package final class MutualTLSFront: Sendable {
    /// The host and port, such as `127.0.0.1:40123`.
    package let host: String

    private let process: MotoProcess

    /// Starts it with a certificate of that authority. Without `requiringCertificates` it takes every client.
    package init(
        before server: LocalServer,
        _ authority: TLSAuthority,
        requiringCertificates: Bool = true
    ) async throws {
        let own = try authority.identity()
        let authorities = requiringCertificates ? authority.certificate : "-"
        process = try MotoProcess(
            "mutual_tls.py",
            arguments: [own.certificate, own.key, authorities, authority.revocations, "\(server.port)"]
        )
        let port = try await process.firstLine()
        guard UInt16(port) != nil else { throw MotoFailure("mutual_tls.py did not start: \(port)") }
        host = "127.0.0.1:\(port)"
    }
}
