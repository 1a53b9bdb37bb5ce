import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CredentialsChainTests {
    @Test func `the first configured provider is used: environment, web identity, profile, AWS IoT, container, EC2`()
        async throws
    {
        let (machine, device) = (try Machine(), try await CertifiedDevice())
        var context = device.context(machine.environment)
        context.region = try Region("us-east-1")
        for (origin, variables) in [
            ("environment", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]),
            ("web identity", ["AWS_WEB_IDENTITY_TOKEN_FILE"]),
            ("profile", ["AWS_SHARED_CREDENTIALS_FILE"]),
            ("AWS IoT", device.environment.map(\.key)),
            ("container", ["AWS_CONTAINER_CREDENTIALS_FULL_URI"]),
            ("EC2 instance", ["AWS_EC2_METADATA_SERVICE_ENDPOINT"]),
        ] {
            let chain = CredentialsChain(in: context)
            #expect(chain.origin == nil)
            #expect(try await chain.credentials() != nil)
            #expect(chain.origin == origin)
            for variable in variables { context.environment[variable] = nil }
        }
    }

    @Test func `without any configuration one error says what each provider is missing`() async throws {
        let environment = ["AWS_EC2_METADATA_DISABLED": "true"]
        let failure = await CredentialsChain(in: try .test(environment)).failure()
        #expect(failure?.kind == .notConfigured)
        #expect(
            failure?.message == "There are no credentials. Looked for in this order: "
                + "(1) environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set. "
                + "(2) web identity: AWS_WEB_IDENTITY_TOKEN_FILE is not set. "
                + "(3) profile: There is no profile \"default\" in any file, since HOME is not set. "
                + "(4) AWS IoT: AWS_IOT_CORE_CREDENTIAL_ENDPOINT and AWS_IOT_CORE_ROLE_ALIAS are not set. "
                + "(5) container: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and AWS_CONTAINER_CREDENTIALS_FULL_URI are not set. "
                + "(6) EC2 instance: AWS_EC2_METADATA_DISABLED is true."
        )
    }

    @Test(
        arguments: [
            (["AWS_SECRET_ACCESS_KEY": ""], "AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY: set both."),
            (
                ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_ROLE_ARN": ""],
                "is set without AWS_ROLE_ARN"
            ),
            (
                ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_WEB_IDENTITY_TOKEN_FILE": "/no/such"],
                "AWS_WEB_IDENTITY_TOKEN_FILE: there is no file /no/such."
            ),
            (
                [
                    "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_WEB_IDENTITY_TOKEN_FILE": "",
                    "AWS_PROFILE": "typo",
                ], "AWS_PROFILE: There is no profile \"typo\""
            ),
        ] as [([String: String], String)]
    )
    func `a configured provider that fails ends the search`(change: [String: String], reason: String) async throws {
        let machine = try Machine()
        let chain = CredentialsChain(in: try .test(machine.environment.merging(change) { $1 }))
        let failure = await chain.failure()
        #expect(failure?.kind == .failed)
        #expect(failure?.message.contains(reason) == true, "\(String(describing: failure))")
        #expect(chain.origin == nil)
    }

    @Test func `the provider of the first keys is used alone, until it is no longer configured`() async throws {
        let machine = try Machine()
        let files = try ProfileFiles()
        let environment = files.environment([
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": machine.server.url + "/container"
        ])
        let chain = CredentialsChain(in: try .test(environment))
        #expect(try await chain.credentials() == KeysJSON.credentials)
        try files.write("[default]\naws_access_key_id = a\naws_secret_access_key = b", to: files.credentials)
        chain.invalidate()
        #expect(try await chain.credentials() == KeysJSON.credentials)
        #expect(chain.origin == "container")
        let other = CredentialsChain(in: try .test(environment))
        #expect(try await other.credentials()?.accessKeyID == "a")
        try files.write("", to: files.credentials)
        other.invalidate()
        #expect(try await other.credentials() == KeysJSON.credentials)
        #expect(other.origin == "container")
    }

    @Test func `an instance whose service can no longer be reached has an outage, not a missing setting`()
        async throws
    {
        let isOut = Recorded<Bool>()
        let server = try LocalServer { request, _ in
            isOut.all.isEmpty ? InstanceServer.reply(to: request) : .dropConnection
        }
        let environment = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": server.url]
        let chain = CredentialsChain(in: try .test(environment))
        _ = try await chain.credentials()
        isOut.append(true)
        chain.invalidate()
        let failure = try #require(await chain.failure())
        #expect(failure.kind == .failed)
        #expect(failure.isTemporary)
        // Where there were no keys, it may be no instance.
        #expect(await CredentialsChain(in: try .test(environment)).failure()?.kind == .notConfigured)
    }

    @Test func `a failed refresh is never final`() async throws {
        let server = try LocalServer { _, index in index < 3 ? .json(500, "{}") : .json(200, KeysJSON.text()) }
        let chain = CredentialsChain(in: try .test(["AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url]))
        #expect(await chain.failure()?.kind == .failed)
        #expect(try await chain.credentials() == KeysJSON.credentials)
    }

    @Test func `no secret shows in a source, an error or a dump`() async throws {
        let machine = try Machine()
        var environment = machine.environment
        environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "container-canary"
        for isBroken in [false, true] {
            if isBroken {
                for name in ["AWS_ENDPOINT_URL_STS", "AWS_CONTAINER_CREDENTIALS_FULL_URI"] {
                    environment[name]? += "/broken"
                }
                environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"]? += "/broken"
            }
            let context = try CredentialsContext.test(environment)
            let session = RoleSession(roleARN: "role")
            let sources: [any CredentialsSource] = [
                EnvironmentCredentials(environment), context.source(WebIdentityCredentials.init),
                ProfileCredentials(in: context),
                context.cache(
                    AssumedRoleCredentials(session, with: EnvironmentCredentials(environment), in: context)
                ),
                context.cache(
                    ProcessCredentials(command: "echo \(KeysJSON.text())", origin: "test", in: context)
                ),
                context.source(ContainerCredentials.init), context.source(InstanceMetadataCredentials.init),
                CredentialsChain(in: context),
            ]
            for source in sources {
                var text = "\(context) \(String(reflecting: context))"
                dump(context, to: &text)
                for _ in 0..<2 {
                    if let failure = await source.failure() { dump(failure, to: &text) }
                    text += "\(source) \(String(reflecting: source))"
                    dump(source, to: &text)
                }
                #expect(!text.contains("canary"), "\(type(of: source))")
            }
        }
    }
}

/// A machine on which every provider has keys.
private struct Machine {
    let server: LocalServer
    let files: ProfileFiles

    init() throws {
        files = try ProfileFiles(
            credentials: "[default]\naws_access_key_id = AKIDFILE\naws_secret_access_key = file-canary"
        )
        try files.write("web-identity-canary", to: files.directory.path("token"))
        server = try LocalServer { request, _ in
            if request.path.contains("/broken") { return .json(400, "no") }
            if request.path.hasPrefix("/container") { return .json(200, KeysJSON.text()) }
            let isMetadata = request.path.hasPrefix("/latest")
            return isMetadata ? InstanceServer.reply(to: request) : STSReply.keys("AssumeRoleWithWebIdentity")
        }
    }

    var environment: [String: String] {
        files.environment([
            "AWS_ACCESS_KEY_ID": "AKIDENV-canary", "AWS_SECRET_ACCESS_KEY": "environment-canary",
            "AWS_WEB_IDENTITY_TOKEN_FILE": files.directory.path("token"), "AWS_ROLE_ARN": "role",
            "AWS_ENDPOINT_URL_STS": server.url, "AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url + "/container",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": server.url, "AWS_EC2_METADATA_DISABLED": "false",
        ])
    }
}
