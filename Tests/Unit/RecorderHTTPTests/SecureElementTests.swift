import Foundation
import RecorderHTTP
import RecorderTestSupport
import Testing

/// A private key that never leaves a token, here SoftHSM's, used through OpenSSL's engine or provider for PKCS#11.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: SoftHSM.isInstalled, "SoftHSM or OpenSSL's engine for PKCS#11 is not installed")
)
struct SecureElementTests {
    @Test func `a client with its key in a token is accepted, and refused with a wrong PIN`() async throws {
        let authority = try TLSAuthority()
        let server = try LocalServer { _, _ in .json(200, "{}") }
        let front = try await MutualTLSFront(before: server, authority)
        let identity = try authority.identity(for: "DNS:device")
        let token = try SoftHSM(importing: identity.key)
        let values = [
            "https://\(front.host)/", authority.certificate, identity.certificate, token.configuration, token.module,
        ]
        // OpenSSL reads the variables, which are those of the whole process.
        await #expect(processExitsWith: .success) { [values = values as [String]] in
            setenv("SOFTHSM2_CONF", values[3], 1)
            setenv("PKCS11_MODULE_PATH", values[4], 1)
            func failure(pin: String) async -> HTTPFailure? {
                var request = HTTPRequest(method: .get, url: values[0])
                request.certificateAuthorities = values[1]
                request.clientCertificate = ClientCertificate(
                    certificate: values[2],
                    privateKey: "pkcs11:token=\(SoftHSM.label);object=key;type=private?pin-value=\(pin)"
                )
                do throws(HTTPFailure) {
                    _ = try await CurlTransport.shared.send(request)
                    return nil
                } catch {
                    return error
                }
            }
            let refused = await failure(pin: "4321")
            #expect(
                refused?.kind == .clientCertificate && refused?.detail.contains("4321") == false,
                "\(refused as Any)"
            )
            #expect(await failure(pin: SoftHSM.pin) == nil)
        }
        #expect(server.requests.count == 1)
    }
}

/// A token of SoftHSM with one key, in a directory of its own.
private struct SoftHSM {
    static let label = "device"
    static let pin = "1234"

    let module: String
    var configuration: String { directory.path("softhsm2.conf") }

    private let directory: TemporaryDirectory

    /// The module that `PKCS11_MODULE_PATH` names, else the one of the distribution's package.
    private static let installedModule: String? = {
        let named = ProcessInfo.processInfo.environment["PKCS11_MODULE_PATH"]
        let paths = ["/usr/lib/softhsm", "/usr/lib64/softhsm", "/usr/lib64/pkcs11", "/usr/lib/pkcs11"]
        return ([named].compactMap(\.self) + paths.map { "\($0)/libsofthsm2.so" })
            .first { FileManager.default.fileExists(atPath: $0) }
    }()

    static let isInstalled: Bool = {
        guard installedModule != nil else { return false }
        let hasEngine = (try? run(["openssl", "engine", "pkcs11"])) ?? false
        let hasProvider = (try? run(["openssl", "list", "-providers", "-provider", "pkcs11"])) ?? false
        return (hasEngine || hasProvider) && (try? run(["softhsm2-util", "--version"])) == true
    }()

    init(importing key: String) throws {
        directory = try TemporaryDirectory()
        module = try #require(Self.installedModule)
        let tokens = directory.path("tokens")
        try FileManager.default.createDirectory(atPath: tokens, withIntermediateDirectories: false)
        let text = "directories.tokendir = \(tokens)\nobjectstore.backend = file\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
        let util = ["softhsm2-util", "--module", module, "--pin", Self.pin]
        let environment = ["SOFTHSM2_CONF": configuration]
        try #require(
            try Self.run(util + ["--init-token", "--free", "--label", Self.label, "--so-pin", "5678"], environment)
        )
        let object = ["--token", Self.label, "--label", "key", "--id", "01"]
        try #require(try Self.run(util + ["--import", key] + object, environment))
    }

    /// Whether a program ended with success.
    private static func run(_ words: [String], _ environment: [String: String] = [:]) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try ProcessEnd(starting: process).wait()
        return process.terminationStatus == 0
    }
}
