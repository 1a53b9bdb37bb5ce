import Foundation
import Glibc

/// The test's own certificate authority, trusted only by clients configured to trust it.
package final class TLSAuthority: Sendable {
    /// A key with its certificate, each in a PEM file.
    package struct Identity: Sendable {
        package let key: String
        package let certificate: String
    }

    /// A PEM file with the authority's certificate.
    package var certificate: String { directory.path("authority.pem") }

    /// A PEM file with the list of revoked certificates; missing until the first one is revoked.
    package var revocations: String { directory.path("revocations.pem") }

    /// The authority itself as a server, with its self-signed certificate.
    package var own: Identity { Identity(key: directory.path("authority.key"), certificate: certificate) }

    private let directory: TemporaryDirectory
    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    /// Creates the authority; its key's identifier is computed unless it is given.
    package init(name: String = "/CN=recorder-test-authority", keyIdentifier: String? = nil) throws {
        directory = try TemporaryDirectory()
        let identifier = keyIdentifier.map { ["-addext", "subjectKeyIdentifier=\($0)"] } ?? []
        try TLSServer.runOpenSSL(
            ["req", "-x509", "-days", "2", "-subj", name] + identifier + Self.newKey
                + ["-keyout", directory.path("authority.key"), "-out", directory.path("authority.pem")]
        )
        try Data().write(to: URL(fileURLWithPath: directory.path("index")))
        let configuration = """
            [ca]
            default_ca = own
            [own]
            new_certs_dir = \(directory.path)
            database = \(directory.path("index"))
            rand_serial = yes
            default_md = sha256
            policy = any
            copy_extensions = copy
            unique_subject = no
            [any]
            commonName = supplied
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: directory.path("configuration")))
    }

    /// Issues a certificate for `name`, such as `IP:127.0.0.1` or `DNS:example.com`, that is valid for these days from
    /// now.
    package func identity(for name: String = "IP:127.0.0.1", days: ClosedRange<Int> = -1...1) throws -> Identity {
        let stem = directory.path(UUID().uuidString)
        let identity = Identity(key: "\(stem).key", certificate: "\(stem).pem")
        try TLSServer.runOpenSSL(
            ["req", "-new", "-subj", "/CN=recorder-test", "-addext", "subjectAltName=\(name)"] + Self.newKey
                + ["-keyout", identity.key, "-out", "\(stem).request"]
        )
        try TLSServer.runOpenSSL(
            ["ca", "-batch", "-notext", "-config", directory.path("configuration"), "-cert", certificate]
                + ["-keyfile", directory.path("authority.key"), "-in", "\(stem).request", "-out", identity.certificate]
                + ["-startdate", Self.time(days.lowerBound), "-enddate", Self.time(days.upperBound)]
        )
        return identity
    }

    /// Revokes a certificate that the authority has issued.
    package func revoke(_ identity: Identity) throws {
        let own =
            ["-config", directory.path("configuration"), "-cert", certificate]
            + ["-keyfile", directory.path("authority.key")]
        try TLSServer.runOpenSSL(["ca", "-revoke", identity.certificate] + own)
        let list = directory.path("new-revocations.pem")
        try TLSServer.runOpenSSL(["ca", "-gencrl", "-crldays", "2", "-out", list] + own)
        // At once, because the server may be reading the file.
        guard rename(list, revocations) == 0 else { throw LocalSocket.Failure(doing: "rename") }
    }

    /// The time this many days from now, in the format of certificates.
    private static func time(_ days: Int) -> String {
        let date = Date(timeIntervalSinceNow: TimeInterval(days) * 86_400)
        return date.formatted(.iso8601).filter { $0.isNumber || $0 == "Z" }
    }
}
