import Foundation
import RecorderHTTP
import RecorderTestSupport
import Testing

/// A server that accepts only clients with a certificate of its authority.
@Suite(.timeLimit(.minutes(10))) struct ClientCertificateTests {
    private let authority: TLSAuthority
    private let server: LocalServer
    private let front: MutualTLSFront

    init() async throws {
        authority = try TLSAuthority()
        server = try LocalServer { _, _ in .json(200, "{}") }
        front = try await MutualTLSFront(before: server, authority)
    }

    private func send(_ own: ClientCertificate?) async throws(HTTPFailure) -> HTTPResponse {
        var request = HTTPRequest(method: .get, url: "https://\(front.host)/")
        request.clientCertificate = own
        request.certificateAuthorities = authority.certificate
        return try await CurlTransport.shared.send(request)
    }

    private func failure(_ own: ClientCertificate?) async -> HTTPFailure? {
        do throws(HTTPFailure) {
            _ = try await send(own)
            return nil
        } catch {
            return error
        }
    }

    private func device(of authority: TLSAuthority? = nil) throws -> ClientCertificate {
        let identity = try (authority ?? self.authority).identity(for: "DNS:device")
        return ClientCertificate(certificate: identity.certificate, privateKey: identity.key)
    }

    /// A root of the system's, and its key's identifier. A server's certificate seems to be of that root.
    private static let systemRoot = (
        path: "/etc/ssl/certs/0b9bc432.0", name: "/C=US/O=Internet Security Research Group/CN=ISRG Root X2",
        key: "7C:42:96:AE:DE:4B:48:3B:FA:92:F8:9E:8C:CF:6D:8B:A9:72:37:95"
    )

    /// If the system's root were a candidate, its key would not fit the signature, which is another error.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: systemRoot.path)))
    func `a request's own authorities replace the system's, those of a transport are additional`() async throws {
        let namesake = try TLSAuthority(name: Self.systemRoot.name, keyIdentifier: Self.systemRoot.key)
        let alone = ["-no-CAfile", "-no-CApath", "-no-CAstore"]
        let front = try TLSFront(before: server, namesake.identity(), arguments: alone)
        func detail(_ transport: CurlTransport, own: String?) async -> String {
            var request = HTTPRequest(method: .get, url: "\(front.url)/")
            request.certificateAuthorities = own
            do throws(HTTPFailure) {
                return "status \(try await transport.send(request).status)"
            } catch {
                return error.detail
            }
        }
        let unknown = "unable to get local issuer certificate"
        let replaced = await detail(CurlTransport.shared, own: authority.certificate)
        #expect(replaced.contains(unknown), "\(replaced)")
        let added = await detail(CurlTransport(certificateAuthorities: authority.certificate), own: nil)
        #expect(!added.contains(unknown) && !added.contains("status"), "\(added)")
    }

    @Test func `a client with a certificate of the authority is accepted`() async throws {
        #expect(try await send(device()).status == 200)
    }

    @Test func `a client without one, or with one of another authority, learns that it was refused for that`()
        async throws
    {
        for own in [nil, try device(of: TLSAuthority())] {
            #expect(await failure(own)?.kind == .clientCertificate)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a revoked certificate is refused at once, although an earlier connection was accepted`() async throws {
        let identity = try authority.identity(for: "DNS:device")
        let own = ClientCertificate(certificate: identity.certificate, privateKey: identity.key)
        #expect(try await send(own).status == 200)
        try authority.revoke(identity)
        #expect(await failure(own)?.kind == .clientCertificate)
        #expect(try await send(device()).status == 200)
    }

    @Test func `a key of another certificate, and one with a passphrase, fail without a question at the terminal`()
        async throws
    {
        let (own, other) = (try device(), try device())
        let secret = try TemporaryDirectory()
        let encrypted = secret.path("key.pem")
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        openssl.arguments =
            ["openssl", "pkey", "-in", own.privateKey, "-aes128", "-passout", "pass:word", "-out", encrypted]
        try ProcessEnd(starting: openssl).wait()
        for key in [other.privateKey, encrypted] {
            let mixed = ClientCertificate(certificate: own.certificate, privateKey: key)
            #expect(await failure(mixed)?.kind == .clientCertificate)
        }
    }

    @Test(arguments: ["pkcs11:token=none;object=key?pin-value=1234", "PKCS11:object=key;pin-value=1234"])
    func `a PKCS#11 URI that cannot be used is an error that does not show its PIN`(uri: String) async throws {
        let own = ClientCertificate(certificate: try device().certificate, privateKey: uri)
        let failure = await failure(own)
        #expect(failure?.kind == .clientCertificate)
        #expect(failure?.detail.contains("PKCS#11") == true, "\(String(describing: failure))")
        #expect(failure?.detail.contains("1234") == false)
        var text = "\(own) \(String(reflecting: own))"
        dump(own, to: &text)
        #expect(!text.contains("1234"))
    }
}
