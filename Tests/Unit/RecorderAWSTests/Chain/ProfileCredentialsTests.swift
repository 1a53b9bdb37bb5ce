import Foundation
import RecorderAWS
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProfileCredentialsTests {
    @Test func `keys in the profile are used`() async throws {
        let files = try ProfileFiles(
            credentials: """
                [default]
                aws_access_key_id = AKID
                aws_secret_access_key = a/b+c=
                [temporary]
                aws_access_key_id = ASIA
                aws_secret_access_key = \(Canary.secret)
                aws_session_token = token
                """
        )
        let plain = ProfileCredentials(in: try .test(files.environment()))
        #expect(try await plain.credentials() == Credentials(accessKeyID: "AKID", secretAccessKey: "a/b+c="))
        let temporary = ProfileCredentials(in: try .test(files.environment(["AWS_PROFILE": "temporary"])))
        let expected = Credentials(accessKeyID: "ASIA", secretAccessKey: Canary.secret, sessionToken: "token")
        #expect(try await temporary.credentials() == expected)
    }

    @Test func `the files are read again once the keys were refused`() async throws {
        func text(_ id: String) -> String {
            "[default]\naws_access_key_id = \(id)\naws_secret_access_key = \(Canary.secret)"
        }
        let files = try ProfileFiles(credentials: text("old"))
        let source = ProfileCredentials(in: try .test(files.environment()))
        #expect(try await source.credentials()?.accessKeyID == "old")
        try files.write(text("new"), to: files.credentials)
        #expect(try await source.credentials()?.accessKeyID == "old")
        source.invalidate()
        #expect(try await source.credentials()?.accessKeyID == "new")
    }

    @Test func `a failure ends when the file is fixed`() async throws {
        let files = try ProfileFiles(credentials: "[default")
        let source = ProfileCredentials(in: try .test(files.environment()))
        #expect(await source.failure()?.kind == .failed)
        try files.write("[default]\naws_access_key_id = a\naws_secret_access_key = b", to: files.credentials)
        #expect(try await source.credentials()?.accessKeyID == "a")
    }

    @Test func `a role is assumed again once the keys of its source profile are replaced in the file`() async throws {
        func text(_ id: String) -> String {
            """
            [profile base]
            aws_access_key_id = \(id)
            aws_secret_access_key = \(Canary.secret)
            [default]
            role_arn = the-role
            source_profile = base
            """
        }
        let server = try LocalServer { request, _ in
            request.header("Authorization")?.contains("OLD") == true
                ? .error(400, "ExpiredTokenException") : STSReply.keys("AssumeRole")
        }
        let kept = try source(text("OLD"), server)
        #expect(await kept.failure()?.kind == .failed)
        try kept.files.write(text("NEW"), to: kept.files.config)
        #expect(try await kept.credentials() != nil)
    }

    @Test func `a program is not run again for its keys while the role's service is away`() async throws {
        let server = try LocalServer { _, _ in .error(503, "ServiceUnavailable") }
        let runs = try TemporaryDirectory()
        let keys =
            #"{"Version": 1, "AccessKeyId": "AKIDBASE", "SecretAccessKey": "s", "Expiration": "2099-01-01T00:00:00Z"}"#
        try Data(keys.utf8).write(to: URL(fileURLWithPath: runs.path("keys")))
        let kept = try source(
            """
            [profile base]
            credential_process = sh -c 'echo run >> \(runs.path("runs")); cat \(runs.path("keys"))'
            [default]
            role_arn = the-role
            source_profile = base
            """,
            server
        )
        for _ in 0..<2 { #expect(await kept.failure()?.isTemporary == true) }
        #expect(try String(contentsOfFile: runs.path("runs"), encoding: .utf8) == "run\n")
    }

    @Test func `a role is assumed with the keys of its source profile and its own parameters`() async throws {
        let server = try LocalServer { _, _ in STSReply.keys("AssumeRole") }
        let source = try source(
            """
            [profile base]
            aws_access_key_id = AKIDBASE
            aws_secret_access_key = \(Canary.secret)
            [default]
            role_arn = the-role
            source_profile = base
            role_session_name = me
            external_id = stranger
            duration_seconds = 900
            """,
            server
        )
        #expect(try await source.credentials() == STSReply.credentials)
        _ = try await source.credentials()
        #expect(server.requests.count == 1)
        let request = server.requests[0]
        #expect(request.header("Authorization")?.contains("Credential=AKIDBASE/") == true)
        #expect(
            request.text == "Action=AssumeRole&Version=2011-06-15&RoleArn=the-role&RoleSessionName=me"
                + "&DurationSeconds=900&ExternalId=stranger"
        )
    }

    @Test func `a role may lead to a role, and a profile's role may use the profile's own keys`() async throws {
        let server = try LocalServer { _, _ in STSReply.keys("AssumeRole") }
        let source = try source(
            """
            [profile self]
            aws_access_key_id = AKIDSELF
            aws_secret_access_key = \(Canary.secret)
            role_arn = first
            source_profile = self
            [profile middle]
            role_arn = second
            source_profile = self
            [default]
            role_arn = third
            source_profile = middle
            """,
            server
        )
        #expect(try await source.credentials() == STSReply.credentials)
        let roles = server.requests.map { $0.text.split(separator: "&")[2] }
        #expect(roles == ["RoleArn=second", "RoleArn=third"])
        #expect(server.requests[0].header("Authorization")?.contains("=AKIDSELF/") == true)
        #expect(server.requests[1].header("Authorization")?.contains("=ASIA1/") == true)
        let own = try self.source(
            "[default]\nrole_arn = r\nsource_profile = default\n"
                + "aws_access_key_id = AKIDOWN\naws_secret_access_key = \(Canary.secret)",
            server
        )
        #expect(try await own.credentials() == STSReply.credentials)
        #expect(server.requests[2].header("Authorization")?.contains("=AKIDOWN/") == true)
    }

    @Test func `a profile with the keys of an instance, where there is none, is a wrong setting until it is changed`()
        async throws
    {
        let files = try ProfileFiles(config: "[default]\nrole_arn = r\ncredential_source = Ec2InstanceMetadata")
        let environment = files.environment(["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1"])
        let source = ProfileCredentials(in: try .test(environment))
        let failure = try #require(await source.failure())
        #expect(!failure.isTemporary && !failure.isRefusal)
        try files.write("[default]\naws_access_key_id = a\naws_secret_access_key = b", to: files.credentials)
        try files.write("", to: files.config)
        #expect(try await source.credentials()?.accessKeyID == "a")
    }

    @Test func `a role may be assumed with the environment's keys, or for a token in a file`() async throws {
        let server = try LocalServer { request, _ in
            STSReply.keys(request.text.contains("WebIdentity") ? "AssumeRoleWithWebIdentity" : "AssumeRole")
        }
        let environment = ["AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": Canary.secret]
        let source = try source("[default]\nrole_arn = r\ncredential_source = Environment", server, environment)
        #expect(try await source.credentials() == STSReply.credentials)
        #expect(server.requests[0].header("Authorization")?.contains("=AKIDENV/") == true)
        let directory = try TemporaryDirectory()
        try Data("the-token\n".utf8).write(to: URL(fileURLWithPath: directory.path("token")))
        let web = try self.source(
            "[default]\nrole_arn = r\nweb_identity_token_file = \(directory.path("token"))",
            server
        )
        #expect(try await web.credentials() == STSReply.credentials)
        #expect(server.requests[1].text.hasSuffix("&WebIdentityToken=the-token"))
    }

    @Test(
        arguments: [
            (
                "aws_access_key_id = canary",
                "aws_access_key_id is set without aws_secret_access_key: set both, in one file."
            ),
            (
                "aws_secret_access_key = canary",
                "aws_secret_access_key is set without aws_access_key_id: set both, in one file."
            ),
            ("role_arn = r", "set exactly one of"),
            ("role_arn = r\nsource_profile = a\ncredential_source = Environment", "set exactly one of"),
            ("role_arn = r\nsource_profile = typo", "source_profile: There is no profile \"typo\" in "),
            ("role_arn = r\nsource_profile = default", "in a circle: default, default."),
            (
                "role_arn = r\nsource_profile = a\n[profile a]\nrole_arn = r\nsource_profile = default",
                "default, a, default"
            ),
            ("role_arn = r\nsource_profile = a\n[profile a]\nregion = x", "it has neither keys nor a source of keys."),
            ("role_arn = r\ncredential_source = Elsewhere", "use Environment, EcsContainer or Ec2InstanceMetadata."),
            (
                "role_arn = r\ncredential_source = Environment",
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set."
            ),
            ("role_arn = r\nsource_profile = a\nmfa_serial = 1", "mfa_serial needs a code"),
            ("role_arn = r\nsource_profile = a\nduration_seconds = 1h", "duration_seconds must be a number from 900"),
            ("role_arn = r\nweb_identity_token_file = /no/such", "there is no file /no/such."),
            ("trust_anchor_arn = a", "credential_process = aws_signing_helper credential-process --certificate FILE"),
            ("role_arn = r\nprofile_arn = a", "credential_process = aws_signing_helper credential-process "),
            ("role_arn = r\ncredential_process = aws_signing_helper", "remove role_arn"),
            ("iot_core_cert = /c.pem", "is set without iot_core_credential_endpoint and iot_core_role_alias and"),
        ]
    )
    func `the error for a profile without keys says why`(text: String, reason: String) async throws {
        let server = try LocalServer { _, _ in .dropConnection }
        let failure = try await source("[default]\n\(text)", server).failure()
        #expect(failure?.kind == .failed)
        #expect(failure?.message.contains(reason) == true, "\(String(describing: failure))")
        #expect(failure?.message.contains("canary") == false)
        #expect(server.requests.isEmpty)
    }

    @Test func `without files, default profile or keys in it, it is not configured`() async throws {
        #expect(await ProfileCredentials(in: try .test()).failure()?.kind == .notConfigured)
        for text in ["", "[profile other]", "[default]\nregion = eu-west-1", "[default]\nsso_session = s"] {
            let files = try ProfileFiles(config: text)
            #expect(await ProfileCredentials(in: try .test(files.environment())).failure()?.kind == .notConfigured)
        }
    }

    @Test func `a profile that is selected by name must exist`() async throws {
        let failure = await ProfileCredentials(in: try .test(["AWS_PROFILE": "typo"])).failure()
        #expect(failure?.kind == .failed)
        #expect(failure?.message.hasPrefix("AWS_PROFILE: There is no profile \"typo\"") == true)
    }

    private func source(
        _ config: String,
        _ server: LocalServer,
        _ environment: [String: String] = [:]
    ) throws -> Kept {
        let files = try ProfileFiles(config: config)
        let more = environment.merging(["AWS_ENDPOINT_URL_STS": server.url]) { $1 }
        return Kept(source: ProfileCredentials(in: try .test(files.environment(more))), files: files)
    }

    /// A source and the files that it reads.
    private struct Kept: CredentialsSource {
        let source: ProfileCredentials
        let files: ProfileFiles

        func credentials() async throws(CredentialsFailure) -> Credentials? { try await source.credentials() }

        func invalidate() { source.invalidate() }
    }
}
