import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderHTTP
import RecorderTestSupport
import Testing

/// What botocore made of 320 sets of profiles, variables and options (`record_settings.py`), found here, too.
struct RecordedSettings: Decodable, Sendable {
    struct Case: Decodable, Sendable {
        struct Options: Decodable, Sendable {
            var profile: String?
            var region: String?
            var endpoint: String?
        }

        struct Keys: Decodable, Sendable {
            var source: String?
            var error: String?
            var key: String?
            var token: String?
        }

        struct Service: Decodable, Sendable {
            var region: String?
            var url: String?
        }

        struct Found: Decodable, Sendable {
            let credentials: Keys
            let kinesis: Service
            let firehose: Service
        }

        let config: String
        let credentials: String
        let environment: [String: String]
        let options: Options
        let found: Found
    }

    let cases: [Case]

    /// The names of sign-ins, by the files in which the AWS CLI keeps their tokens.
    let tokens: [String: String]

    static func load() throws -> RecordedSettings {
        let url = try #require(
            Bundle.module.url(forResource: "settings", withExtension: "json", subdirectory: "Vectors")
        )
        return try JSONDecoder().decode(RecordedSettings.self, from: try Data(contentsOf: url))
    }
}

extension RecordedSettings.Case {
    /// Here a web identity in variables comes before a role of the profile: Credentials.md says why.
    var prefersWebIdentity: Bool {
        guard options.profile == nil, environment["AWS_ACCESS_KEY_ID"] == nil else { return false }
        guard environment["AWS_WEB_IDENTITY_TOKEN_FILE"] != nil else { return false }
        let ofRole = [
            "InfiniteLoopConfigError", "InvalidConfigError", "CredentialRetrievalError", "PartialCredentialsError",
        ]
        return ["role", "sso"].contains(found.credentials.source) || ofRole.contains(found.credentials.error ?? "")
    }
}

@Suite struct BotocoreChainTests {
    @Test func `region, endpoints and credentials are those that botocore finds`() async throws {
        let all = try RecordedSettings.load()
        #expect(all.cases.count == 320)
        for (index, recorded) in all.cases.enumerated() {
            let replay = try Replay(recorded, tokens: all.tokens)
            let found = recorded.found
            #expect(replay.service(.kinesis) == Replay.text(found.kinesis), "case \(index): \(recorded)")
            #expect(replay.service(.firehose) == Replay.text(found.firehose), "case \(index): \(recorded)")
            let credentials = await replay.credentials()
            let expected = recorded.prefersWebIdentity ? "web-identity" : Replay.text(found.credentials)
            // Without its profile no call is made, as the two lines above say, wherever its keys might be.
            let isWithoutProfile = found.credentials.error == "ProfileNotFound"
            #expect(credentials == expected || isWithoutProfile, "case \(index): \(recorded)")
        }
    }
}

/// One case in files and variables of this machine.
private struct Replay {
    private let files: ProfileFiles
    private let environment: [String: String]
    private var given = GivenSettings()

    init(_ recorded: RecordedSettings.Case, tokens: [String: String]) throws {
        files = try ProfileFiles()
        let signIns = files.directory.path(".aws/sso/cache")
        try FileManager.default.createDirectory(atPath: signIns, withIntermediateDirectories: true)
        for (file, name) in tokens {
            let text = #"{"accessToken": "\#(name)", "expiresAt": "2199-01-01T00:00:00Z"}"#
            try files.write(text, to: "\(signIns)/\(file).json")
        }
        let token = files.directory.path("token")
        try files.write("token", to: token)
        try files.write(recorded.config.replacingOccurrences(of: "/token", with: token), to: files.config)
        try files.write(recorded.credentials, to: files.credentials)
        var variables = recorded.environment.mapValues { $0 == "/token" ? token : $0 }
        variables["PATH"] = "/usr/bin:/bin"
        variables["HOME"] = files.directory.path
        variables["AWS_EC2_METADATA_DISABLED"] = "true"
        environment = files.environment(variables)
        given.profile = recorded.options.profile
        given.region = try recorded.options.region.map(Region.init)
        if let endpoint = try recorded.options.endpoint.map(Endpoint.init(url:)) {
            for service in [AWSService.kinesis, .firehose] { given.endpoints[service] = endpoint }
        }
    }

    /// Region and endpoint.
    func service(_ service: AWSService) -> String {
        do {
            let settings = try MachineSettings(environment, given: given)
            guard let region = try settings.region() else { return "error" }
            return "\(region.name) \(try settings.endpoint(for: service, in: region).url)"
        } catch {
            return "error"
        }
    }

    static func text(_ found: RecordedSettings.Case.Service) -> String {
        guard let region = found.region, let url = found.url else { return "error" }
        return "\(region) \(url)/"
    }

    /// The kind of source, with the key that it has or that signs its request.
    func credentials() async -> String {
        let transport = RoleRequests()
        let context = CredentialsContext(
            region: try? Region("us-east-1"),
            environment: environment,
            given: given,
            transport: transport,
            pause: { _ in }
        )
        do throws(CredentialsFailure) {
            let found = try await CredentialsChain(in: context).credentials()
            return "keys \(found?.accessKeyID ?? "") \(found?.sessionToken ?? "")"
        } catch {
            return transport.first ?? (error.kind == .notConfigured ? "none" : "error")
        }
    }

    static func text(_ found: RecordedSettings.Case.Keys) -> String {
        switch found.source {
        case nil: "error"
        case "keys"?, "role"?, "sso"?: "\(found.source ?? "") \(found.key ?? "") \(found.token ?? "")"
        case let source?: source
        }
    }
}

/// Refuses requests to the Security Token Service and IAM Identity Center, and says what the first one was.
private final class RoleRequests: HTTPTransport {
    private let found = Locked<String?>(nil)

    var first: String? { found.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        func header(_ name: String) -> String { request.headers.first { $0.name.lowercased() == name }?.value ?? "" }
        let form = String(decoding: request.body, as: UTF8.self)
        let key = header("authorization").split(separator: "=").dropFirst().first?.split(separator: "/").first ?? ""
        found.withLock { found in
            let query = request.url.split(whereSeparator: { "=&".contains($0) })
            let signedIn = "sso \(header("x-amz-sso_bearer_token")) \(query.last ?? "") \(query.dropLast(2).last ?? "")"
            let role = "role \(key) \(header("x-amz-security-token"))"
            let ofRole = form.contains("AssumeRoleWithWebIdentity") ? "web-identity" : role
            found = found ?? (form.isEmpty ? signedIn : ofRole)
        }
        throw HTTPFailure(.other, "Nothing is sent.")
    }
}
