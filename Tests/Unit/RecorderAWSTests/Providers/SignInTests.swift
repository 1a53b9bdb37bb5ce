import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

/// Keys of a person who signed in with the AWS CLI: `aws sso login` and `aws login`.
@Suite(.timeLimit(.minutes(10))) struct SignInTests {
    @Test func `the token of an sso-session gives the keys of the profile's role`() async throws {
        let person = try Person(config: Person.session)
        try person.sign(in: "corp")
        let found = try #require(try await person.keys())
        #expect(found.accessKeyID == "ASIA3" && found.secretAccessKey == Canary.secret)
        #expect(found.sessionToken == Canary.token && found.accountID == "111122223333")
        #expect(found.expiration == Date(timeIntervalSince1970: 4_102_444_800))
        let request = try #require(person.server.requests.first)
        #expect(request.path == "/federation/credentials?role_name=Re%20corder&account_id=111122223333")
        #expect(request.method == "GET" && request.header("x-amz-sso_bearer_token") == "token1")
        #expect(request.header("Authorization") == nil && person.server.requests.count == 1)
    }

    @Test func `the older form has the settings in the profile, and its token is used until it ends`() async throws {
        let start = "https://corp.awsapps.com/start"
        let person = try Person(
            config: """
                [default]
                sso_start_url = \(start)
                sso_region = eu-west-1
                sso_account_id = 111122223333
                sso_role_name = Recorder
                """
        )
        try person.sign(in: start, ends: 10, member: #""expiresAt": "2027-01-15T08:00:10UTC""#)
        #expect(try await person.keys()?.accessKeyID == "ASIA3")
        #expect(person.server.requests.map(\.method) == ["GET"])
    }

    @Test(arguments: [14 * 60, 0, -3600])
    func `a token of an sso-session that ends soon, or has ended, is renewed and kept`(left: Int) async throws {
        let person = try Person(config: Person.session)
        try person.sign(in: "corp", ends: left)
        #expect(try await person.keys()?.accessKeyID == "ASIA3")
        let requests = person.server.requests
        #expect(requests.map(\.path).first == "/token" && requests.count == 2)
        #expect(requests.last?.header("x-amz-sso_bearer_token") == "token2")
        let sent = try JSONDecoder().decode([String: String].self, from: Data(requests[0].body))
        let expected = [
            "clientId": "client", "clientSecret": Canary.secret, "refreshToken": "refresh1",
            "grantType": "refresh_token",
        ]
        #expect(sent == expected)
        let kept = try person.kept(of: "corp")
        #expect(kept["accessToken"] as? String == "token2" && kept["refreshToken"] as? String == "refresh2")
        #expect(kept["expiresAt"] as? String == "2027-01-15T16:00:00Z" && kept["clientId"] as? String == "client")
        #expect(try person.mode(of: "corp") == 0o600)
    }

    @Test func `a token that cannot be renewed is used until it ends, and then the command to sign in is named`()
        async throws
    {
        let person = try Person(config: Person.session) { _, _ in .json(400, #"{"error": "invalid_grant"}"#) }
        try person.sign(in: "corp", ends: 60)
        _ = await person.failure()
        #expect(person.server.requests.last?.header("x-amz-sso_bearer_token") == "token1")
        try person.sign(in: "corp", ends: -1)
        let failure = try #require(await person.failure())
        #expect(failure.message.contains("the sign-in ended, and was not renewed"), "\(failure)")
        #expect(failure.message.hasSuffix("Sign in with: aws sso login --profile default"), "\(failure)")
        #expect(failure.kind == .failed && !failure.message.contains("refresh1"), "\(failure)")
    }

    @Test func `a renewal whose caller is cancelled goes on to its end, as the old sign-in is worth nothing then`()
        async throws
    {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let answers = DispatchSemaphore(value: 0)
        let person = try Person(config: Person.session) { request, index in
            ask.yield()
            answers.wait()
            return Person.answer(request, index)
        }
        try person.sign(in: "corp", ends: -1)
        let keys = Task { try await person.keys() }
        for await _ in asked { break }
        keys.cancel()
        await #expect(throws: CredentialsFailure.self) { try await keys.value }
        answers.signal()
        while try person.kept(of: "corp")["refreshToken"] as? String != "refresh2" {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(person.server.requests.map(\.path) == ["/token"])
    }

    @Test func `no error quotes a token that a service or a proxy quotes`() async throws {
        let secrets = ["client-secret-of-16", "refresh-token-of-16", "bearer-token-of-16-"]
        let person = try Person(config: Person.session) { request, _ in
            let quoted =
                String(decoding: request.body, as: UTF8.self) + (request.header("x-amz-sso_bearer_token") ?? "")
            return .html(400, "<p>\(quoted)</p>")
        }
        for left in [60, -1] {
            try person.sign(
                in: "corp",
                ends: left,
                member:
                    #""clientSecret": "\#(secrets[0])", "refreshToken": "\#(secrets[1])", "accessToken": "\#(secrets[2])""#
            )
            let message = try #require(await person.failure()).message
            for secret in secrets { #expect(!message.contains(secret), "\(message)") }
        }
    }

    @Test func `a token that another program renewed meanwhile is used`() async throws {
        let files = try ProfileFiles()
        let person = try Person(config: Person.session, files: files) { request, _ in
            guard request.path == "/token" else { return .json(200, Person.keys) }
            try? Person.write(in: files, "corp", token: "token3", end: "2027-01-15T09:00:00Z")
            return .json(400, #"{"error": "invalid_grant"}"#)
        }
        try person.sign(in: "corp", ends: -1)
        #expect(try await person.keys()?.accessKeyID == "ASIA3")
        #expect(person.server.requests.last?.header("x-amz-sso_bearer_token") == "token3")
    }

    @Test func `a sign-in that IAM Identity Center ended names the command to sign in`() async throws {
        let person = try Person(config: Person.session) { _, _ in
            .json(401, #"{"message": "Session token not found or invalid"}"#)
        }
        try person.sign(in: "corp")
        let message = try #require(await person.failure()).message
        #expect(message.contains("does not accept the sign-in any more"), "\(message)")
        #expect(message.hasSuffix("Sign in with: aws sso login --profile default"), "\(message)")
    }

    @Test(
        arguments: [
            ("sso_session = corp\nsso_role_name = r", "no such section: add [sso-session corp]"),
            ("sso_start_url = s\nsso_role_name = r\nsso_region = eu-west-1", "but sso_account_id is missing."),
            (
                "sso_session = corp\nsso_role_name = r\nsso_account_id = 1\nsso_region = eu-west-2\n"
                    + "[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = s",
                "sso_region is another one than in [sso-session corp]"
            ),
            (Person.settings, "there is no sign-in yet. Sign in with: aws sso login --profile default"),
            ("login_session = arn", "there is no sign-in yet. Sign in with: aws login --profile default"),
        ]
    )
    func `a profile that signs in, but cannot, says what is missing`(settings: String, reason: String) async throws {
        let person = try Person(config: "[default]\n\(settings)\n")
        let failure = await person.failure()
        #expect(failure?.kind == .failed && failure?.message.contains(reason) == true, "\(String(describing: failure))")
        #expect(person.server.requests.isEmpty)
    }

    @Test func `a person's keys sign the request for a role`() async throws {
        let role =
            "[profile r]\nrole_arn = arn:aws:iam::111122223333:role/r\nsource_profile = default\nregion = eu-west-1\n"
        let person = try Person(config: Person.session + role, profile: "r")
        try person.sign(in: "corp")
        _ = await person.failure()
        let request = try #require(person.server.requests.last)
        #expect(String(decoding: request.body, as: UTF8.self).contains("Action=AssumeRole&"))
        #expect(request.header("Authorization")?.contains("Credential=ASIA3/") == true)
    }

    @Test func `the keys of aws login are used, and renewed with a proof before they end`() async throws {
        let key = try JSONDecoder().decode([String: String].self, from: await Self.python("{}"))["key"] ?? ""
        let person = try Person(config: "[default]\nlogin_session = arn:aws:iam::1:user/me\nregion = eu-west-1\n")
        try person.logIn(to: "arn:aws:iam::1:user/me", key: key, ends: 301)
        #expect(try await person.keys()?.accessKeyID == "ASIA1" && person.server.requests.isEmpty)
        try person.logIn(to: "arn:aws:iam::1:user/me", key: key, ends: 299)
        let found = try #require(try await person.keys())
        #expect(found.accessKeyID == "ASIA2" && found.sessionToken == Canary.token && found.accountID == "111122223333")
        #expect(found.expiration == person.now + 900)
        let request = try #require(person.server.requests.first)
        #expect(request.path == "/v1/token" && request.method == "POST")
        let given = try JSONEncoder().encode(["key": key, "proof": try #require(request.header("DPoP"))])
        let proof = try #require(
            try JSONSerialization.jsonObject(with: await Self.python(String(decoding: given, as: UTF8.self)))
                as? [String: [String: Any]]
        )
        #expect(proof["claims"]?["htu"] as? String == "\(person.server.url)/v1/token")
        #expect(proof["claims"]?["htm"] as? String == "POST" && proof["head"]?["typ"] as? String == "dpop+jwt")
        #expect(try await person.keys()?.accessKeyID == "ASIA2" && person.server.requests.count == 1)
    }

    @Test func `renewed keys are used, also if they cannot be kept`() async throws {
        let key = try JSONDecoder().decode([String: String].self, from: await Self.python("{}"))["key"] ?? ""
        var person = try Person(config: "[default]\nlogin_session = arn:aws:iam::1:user/me\nregion = eu-west-1\n")
        try person.logIn(to: "arn:aws:iam::1:user/me", key: key, ends: -1)
        let name = "/\(String(repeating: "f", count: 64)).json"
        let directory = Self.long(person.files.directory.path(".aws/login/cache"), upTo: name)
        person.more = ["AWS_LOGIN_CACHE_DIRECTORY": directory]
        #expect(try await person.keys()?.accessKeyID == "ASIA2")
    }

    @Test func `a renewed sign-in that cannot be kept goes on in this process, until another program signs in`()
        async throws
    {
        let files = try ProfileFiles()
        var person = try Person(config: Person.session, files: files) { request, _ in
            guard request.path == "/token" else { return .json(200, Person.keys) }
            let form = try? JSONDecoder().decode([String: String].self, from: Data(request.body))
            let number = Int(form?["refreshToken"]?.last.map(String.init) ?? "") ?? 9
            return .json(
                200,
                #"{"accessToken": "token\#(number + 1)", "expiresIn": 60, "refreshToken": "refresh\#(number + 1)"}"#
            )
        }
        try person.sign(in: "corp", ends: -1)
        let name = "/.aws/sso/cache/\(String(repeating: "f", count: 40)).json"
        person.more = ["HOME": Self.long(files.directory.path, upTo: name)]
        for token in ["token2", "token3"] {
            #expect(try await person.keys()?.accessKeyID == "ASIA3")
            #expect(person.server.requests.last?.header("x-amz-sso_bearer_token") == token)
        }
        try Person.write(in: files, "corp", token: "token7", end: "2027-01-15T09:00:00Z")
        #expect(try await person.keys()?.accessKeyID == "ASIA3")
        #expect(person.server.requests.last?.header("x-amz-sso_bearer_token") == "token7")
    }

    /// A directory's path, so long that a file of this name in it has the longest path there is, and none is left for a draft
    /// beside it: the file can be read, but not be replaced.
    private static func long(_ directory: String, upTo name: String) -> String {
        let length = 4_094 - name.utf8.count
        var path = directory
        while path.utf8.count < length { path += path.utf8.count + 1 == length ? "/" : "/." }
        return path
    }

    private static func python(_ input: String) async throws -> Data {
        try await LocalPython.run("check_proof.py", input: Data(input.utf8))
    }
}

/// A person with the AWS CLI's files, and the services that answer.
private struct Person {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let files: ProfileFiles
    let server: LocalServer
    private let profile: String?
    /// Further variables.
    var more: [String: String] = [:]

    static let settings = """
        sso_session = corp
        sso_account_id = 111122223333
        sso_role_name = Re corder
        [sso-session corp]
        sso_start_url = https://corp.awsapps.com/start
        sso_region = eu-west-1
        sso_registration_scopes = sso:account:access

        """

    static let session = "[default]\n\(settings)"

    static let keys = #"""
        {"roleCredentials": {"accessKeyId": "ASIA3", "secretAccessKey": "\#(Canary.secret)", "sessionToken": "\#(Canary.token)",
        "expiration": 4102444800000}}
        """#

    init(
        config: String,
        files: ProfileFiles? = nil,
        profile: String? = nil,
        _ script: @escaping LocalServer.Script = Person.answer
    ) throws {
        self.files = try files ?? ProfileFiles()
        self.profile = profile
        try self.files.write(config, to: self.files.config)
        server = try LocalServer(script)
    }

    static func answer(_ request: ReceivedRequest, _ index: Int) -> Reply {
        switch request.path {
        case "/token":
            return .json(200, #"{"accessToken": "token2", "expiresIn": 28800, "refreshToken": "refresh2"}"#)
        case "/v1/token":
            let keys =
                #"{"accessKeyId": "ASIA2", "secretAccessKey": "\#(Canary.secret)", "sessionToken": "\#(Canary.token)"}"#
            return .json(200, #"{"accessToken": \#(keys), "expiresIn": 900, "refreshToken": "refresh2"}"#)
        case let path where path.hasPrefix("/federation/credentials"): return .json(200, keys)
        default: return .dropConnection
        }
    }

    private var source: ProfileCredentials {
        get throws {
            var environment = files.environment(["HOME": files.directory.path, "AWS_ENDPOINT_URL": server.url])
            environment["AWS_PROFILE"] = profile
            environment.merge(more) { $1 }
            let now = now
            return ProfileCredentials(in: try .test(environment, now: { now }))
        }
    }

    func keys() async throws -> Credentials? { try await source.credentials() }

    func failure() async -> CredentialsFailure? { await (try? source)?.failure() }

    /// What `aws sso login` writes.
    func sign(in name: String, ends left: Int = 3600, member: String? = nil) throws {
        let end = (now + TimeInterval(left)).formatted(.iso8601)
        try Self.write(in: files, name, token: "token1", end: end, member: member)
    }

    static func write(
        in files: ProfileFiles,
        _ name: String,
        token: String,
        end: String,
        member: String? = nil
    ) throws {
        let path = Self.path(in: files, name)
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let text = #"""
            {"startUrl": "https://corp.awsapps.com/start", "region": "eu-west-1", "accessToken": "\#(token)",
            \#(member ?? #""expiresAt": "\#(end)""#), "clientId": "client", "clientSecret": "\#(Canary.secret)",
            "registrationExpiresAt": "2027-04-01T00:00:00Z", "refreshToken": "refresh1"}
            """#
        try files.write(text, to: path)
    }

    /// The names are the SHA-1 of the session's name and of the start page's address.
    private static func path(in files: ProfileFiles, _ name: String) -> String {
        let hash =
            name == "corp"
            ? "ee0bfd2552fbd840c02cc48b6e823320543c450f" : "a51746d4aa793ae07b25e90c3a5db96fc7832bd7"
        return files.directory.path(".aws/sso/cache/\(hash).json")
    }

    func kept(of name: String) throws -> [String: Any] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: Self.path(in: files, name)))
        return try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    }

    func mode(of name: String) throws -> Int {
        let path = Self.path(in: files, name)
        return try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    /// What `aws login` writes.
    func logIn(to session: String, key: String, ends left: Int) throws {
        let path = files.directory.path(
            ".aws/login/cache/da19974a351c10e6ddab0fe8d7b1fb3a289211121e24f211c7eb19ed08e30e3a.json"
        )
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let token = [
            "accessKeyId": "ASIA1", "secretAccessKey": Canary.secret, "sessionToken": Canary.token,
            "accountId": "111122223333", "expiresAt": (now + TimeInterval(left)).formatted(.iso8601),
        ]
        let members: [String: Any] = [
            "accessToken": token, "refreshToken": "refresh1", "clientId": "client", "dpopKey": key, "idToken": "kept",
        ]
        try JSONSerialization.data(withJSONObject: members).write(to: URL(fileURLWithPath: path))
    }
}
