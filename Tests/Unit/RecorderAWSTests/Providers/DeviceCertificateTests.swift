import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

/// The files of a device: what is wrong with them is said before anything is sent.
@Suite(.timeLimit(.minutes(10))) struct DeviceCertificateTests {
    private let directory: TemporaryDirectory
    private let authority: TLSAuthority
    private let identity: TLSAuthority.Identity

    init() throws {
        directory = try TemporaryDirectory()
        authority = try TLSAuthority()
        identity = try authority.identity(for: "DNS:device")
    }

    /// PKCS#11 URIs with something around them.
    private static let misspelled = [
        "\"pkcs11:object=key?pin-value=canary\"", "'PKCS11:object=key?pin-value=canary'", " pkcs11:object=canary",
        "\tpkcs11:pin-source=canary", "file:pkcs11:object=canary", "uri=Pkcs11:object=key?PIN-VALUE=canary",
    ]

    @Test(arguments: misspelled)
    func `something before a PKCS#11 URI is an error that names the setting and shows nothing of the URI`(
        uri: String
    ) async throws {
        let rest = ": a PKCS#11 URI must begin with pkcs11:; remove quotes and blanks around it."
        #expect(try await problem(key: uri) == "privateKey" + rest)
        #expect(try await problem(certificate: uri) == "certificate" + rest)
    }

    @Test(arguments: ["object=key?pin-value=canary", "token=t?PIN-SOURCE=file:canary", "pkcs11:pin-value=canary"])
    func `no error shows a value with an attribute for a PIN, whatever setting it is in`(value: String) async throws {
        for name in ["endpoint", "roleAlias", "thingName", "certificate", "privateKey"] {
            func setting(_ own: String, _ usual: String) -> String { name == own ? value : usual }
            let settings = IoTSettings(
                endpoint: setting("endpoint", "127.0.0.1:1"),
                roleAlias: setting("roleAlias", "alias"),
                thingName: setting("thingName", "thing"),
                certificate: setting("certificate", identity.certificate),
                privateKey: setting("privateKey", identity.key),
                certificateAuthorities: nil
            )
            let failure = await IoTCredentials(settings, in: try .test(transport: Unreachable())).failure()
            #expect(failure?.message.contains("canary") == false, "\(name): \(String(describing: failure))")
        }
    }

    @Test func `a file whose name might contain a PIN is used, and no error shows the name`() async throws {
        let key = directory.path("pin-value=canary")
        try FileManager.default.copyItem(atPath: identity.key, toPath: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        #expect(try await problem(key: key) == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        let open = try #require(try await problem(key: key))
        #expect(open.hasSuffix("Run: chmod o-rwx FILE") && !open.contains("canary"), "\(open)")
        try Data(repeating: 1, count: 70_000).write(to: URL(fileURLWithPath: key))
        let long = try #require(try await problem(certificate: key))
        #expect(long.contains("is not a file that can be read, or is too long") && !long.contains("canary"), "\(long)")
    }

    /// The message for a device with these files; nil if they pass the checks and only the endpoint is missing.
    private func problem(certificate: String? = nil, key: String? = nil) async throws -> String? {
        let settings = IoTSettings(
            endpoint: "127.0.0.1:1",
            roleAlias: "alias",
            thingName: nil,
            certificate: certificate ?? identity.certificate,
            privateKey: key ?? identity.key,
            certificateAuthorities: nil
        )
        let context = try CredentialsContext.test(transport: Unreachable())
        let message = await IoTCredentials(settings, in: context).failure()?.message
        return message?.contains("127.0.0.1:1: unreachable") == true ? nil : message
    }

    private func file(_ text: String, mode: Int = 0o600) throws -> String {
        let path = directory.path(UUID().uuidString)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test func `the key that belongs to the certificate is accepted, also through links and for a group`() async throws
    {
        #expect(try await problem() == nil)
        let link = directory.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: identity.key)
        #expect(try await problem(key: link) == nil)
        let shared = try file(String(contentsOfFile: identity.key, encoding: .utf8), mode: 0o640)
        #expect(try await problem(key: shared) == nil)
    }

    @Test func `a key of another certificate names both files`() async throws {
        let other = try authority.identity(for: "DNS:other")
        let message = try #require(try await problem(key: other.key))
        #expect(message.hasPrefix("privateKey: the private key in \(other.key) does not belong to the certificate in "))
        #expect(message.contains("\(identity.certificate) (certificate)"))
    }

    @Test(arguments: [0o644, 0o606, 0o777])
    func `a key that all users can read or write is refused with the command that fixes it`(mode: Int) async throws {
        let open = try file(String(contentsOfFile: identity.key, encoding: .utf8), mode: mode)
        let message = try #require(try await problem(key: open))
        #expect(message.contains("(mode 0\(String(mode, radix: 8)))") && message.contains("Run: chmod o-rwx \(open)"))
    }

    @Test func `files that are no PEM, or exchanged, or have a passphrase, are refused with the remedy`() async throws {
        let noPEM = try file("hello")
        #expect(try await problem(certificate: noPEM)?.contains("\(noPEM) is not a certificate in PEM format.") == true)
        #expect(try await problem(key: noPEM)?.contains("\(noPEM) is not a private key in PEM format.") == true)
        #expect(try await problem(certificate: identity.key)?.contains("are certificate and key exchanged?") == true)
        #expect(try await problem(key: identity.certificate)?.contains("are certificate and key exchanged?") == true)
        let encrypted = directory.path("encrypted.pem")
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "pkey", "-in", identity.key, "-aes128", "-passout", "pass:w", "-out", encrypted,
        ]
        try ProcessEnd(starting: openssl).wait()
        #expect(try await problem(key: encrypted)?.contains("has a passphrase") == true)
        let long = try file(String(repeating: "x", count: 70_000))
        #expect(try await problem(certificate: long)?.contains("is longer than 65536 bytes.") == true)
        #expect(try await problem(key: "") == "privateKey is empty: a device needs a certificate and its private key.")
    }

    @Test func `no key and no PIN is in a description, an error or a dump`() async throws {
        let uri = "pkcs11:object=key?pin-value=canary"
        let settings = IoTSettings(
            endpoint: "127.0.0.1:1",
            roleAlias: "alias",
            thingName: nil,
            certificate: identity.certificate,
            privateKey: uri,
            certificateAuthorities: nil
        )
        let fetcher = IoTCredentials(settings, in: try .test(transport: Unreachable()))
        var text = "\(settings) \(fetcher) \(String(reflecting: settings))"
        dump(settings, to: &text)
        dump(fetcher, to: &text)
        dump(await fetcher.failure(), to: &text)
        #expect(!text.contains("canary"))
    }
}

private struct Unreachable: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        throw HTTPFailure(.cannotConnect, "127.0.0.1:1: unreachable")
    }
}
