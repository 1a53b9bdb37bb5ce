import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

/// AWS IoT's credentials provider, over mutual TLS.
@Suite(.timeLimit(.minutes(10))) struct IoTCredentialsTests {
    @Test func `a device with a certificate gets the keys of its role alias`() async throws {
        let device = try await CertifiedDevice()
        let chain = CredentialsChain(in: device.context())
        let keys = try #require(try await chain.credentials())
        #expect(keys.accessKeyID == "ASIA1" && keys.secretAccessKey == Canary.secret)
        #expect(keys.sessionToken == Canary.token && keys.expiration == device.context().now() + 3600)
        #expect(chain.origin == "AWS IoT")
        let request = try #require(device.server.requests.first)
        #expect(request.method == "GET" && request.path == "/role-aliases/recorder/credentials")
        #expect(request.header("x-amzn-iot-thingname") == "gateway-7")
        #expect(request.header("Authorization") == nil)
    }

    @Test func `without a thing's name no such header is sent`() async throws {
        let device = try await CertifiedDevice()
        _ = try await IoTCredentials(in: device.context(["AWS_IOT_CORE_THING_NAME": ""])).fetch()
        #expect(device.server.requests.map { $0.header("x-amzn-iot-thingname") } == [nil])
    }

    @Test func `a profile has the same settings in lower case, and may be the source of a role`() async throws {
        let device = try await CertifiedDevice()
        let settings = device.environment.map { "\($0.key.dropFirst(4).lowercased()) = \($0.value)" }
        let files = try ProfileFiles(config: "[default]\n\(settings.joined(separator: "\n"))\n")
        var context = device.context()
        context.environment = files.environment()
        #expect(try await ProfileCredentials(in: context).credentials()?.accessKeyID == "ASIA1")
        try files.write("[default]\niot_core_cert = /c.pem\niot_core_role_alias = a", to: files.config)
        let failure = await ProfileCredentials(in: context).failure()
        #expect(
            failure?.message.hasPrefix(
                "iot_core_role_alias of the profile \"default\" in \(files.config) is set without "
                    + "iot_core_credential_endpoint and iot_core_private_key: "
            ) == true,
            "\(String(describing: failure))"
        )
    }

    @Test func `a certificate and a key alone, as programs for MQTT have them, leave the other providers in use`()
        async throws
    {
        let agent = try LocalServer { _, _ in .json(200, KeysJSON.text()) }
        for value in ["/no/such.pem", "pkcs11:object=key?pin-value=1234"] {
            let chain = CredentialsChain(
                in: try .test([
                    "AWS_IOT_CORE_CERT": value, "AWS_IOT_CORE_PRIVATE_KEY": value, "AWS_IOT_CORE_THING_NAME": "thing",
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI": agent.url,
                ])
            )
            #expect(try await chain.credentials() == KeysJSON.credentials)
            #expect(chain.origin == "container")
        }
    }

    @Test func `the keys are of the account in AWS_ACCOUNT_ID, those of a profile of the one in aws_account_id`()
        async throws
    {
        let device = try await CertifiedDevice()
        let variable = ["AWS_ACCOUNT_ID": "111122223333"]
        #expect(try await IoTCredentials(in: device.context(variable)).fetch().accountID == "111122223333")
        #expect(try await IoTCredentials(in: device.context()).fetch().accountID == nil)
        let settings = device.environment.map { "\($0.key.dropFirst(4).lowercased()) = \($0.value)" }
        let text = settings.joined(separator: "\n")
        let files = try ProfileFiles(
            config: "[default]\n\(text)\naws_account_id = 444455556666\n[profile b]\n\(text)\n"
        )
        var context = device.context()
        for (profile, account) in [("default", "444455556666"), ("b", nil)] {
            context.environment = files.environment(variable.merging(["AWS_PROFILE": profile]) { $1 })
            #expect(try await ProfileCredentials(in: context).credentials()?.accountID == account)
        }
    }

    @Test func `keys are renewed at half their lifetime; while that fails the old ones are used to their end`()
        async throws
    {
        let device = try await CertifiedDevice()
        let source = CredentialsChain(in: device.context())
        func id() async throws(CredentialsFailure) -> String? { try await source.credentials()?.accessKeyID }
        #expect(try await id() == "ASIA1")
        device.advance(1799)
        #expect(try await id() == "ASIA1")
        device.advance(2)
        #expect(try await id() == "ASIA2")
        device.provider(.isDown)
        device.advance(1801)
        #expect(try await id() == "ASIA2")
        device.advance(1700)
        #expect(try await id() == "ASIA2")
        device.advance(100)
        let failure = await source.failure()
        #expect(
            failure?.kind == .failed && failure?.message.hasPrefix("AWS IoT credentials provider: 127.0.0.1:") == true
        )
        device.provider(.gives)
        #expect(try await id() == "ASIA3")
    }

    @Test func `a revoked certificate is an error that says so`() async throws {
        let device = try await CertifiedDevice()
        try device.revoke()
        let message = try #require(await IoTCredentials(in: device.context()).failure()?.message)
        #expect(message.contains("certificate revoked"), "\(message)")
        #expect(message.contains("The certificate \(device.identity.certificate) is revoked, inactive, expired"))
        #expect(device.server.requests.isEmpty)
    }

    @Test func `an expired certificate is an error with the time of its end`() async throws {
        let device = try await CertifiedDevice()
        let old = try device.authority.identity(for: "DNS:device", days: -3 ... -2)
        let changes = ["AWS_IOT_CORE_CERT": old.certificate, "AWS_IOT_CORE_PRIVATE_KEY": old.key]
        let message = try #require(await IoTCredentials(in: device.context(changes)).failure()?.message)
        #expect(message.contains("By this machine's clock the certificate expired on 20"), "\(message)")
    }

    /// The service's answers, and words of the remedy.
    @Test(arguments: [
        (403, "Invalid thing name passed", "Attach the certificate to the thing \"gateway-7\""),
        (403, "Access Denied", "revoked or inactive? If it is active, allow iot:AssumeRoleWithCertificate"),
        (403, "Certificate is invalid on this endpoint", "Use the endpoint of the account and region"),
        (404, "Role alias does not exist", "Create the role alias \"recorder\" (AWS_IOT_CORE_ROLE_ALIAS)"),
        (400, "Unable to assume the role", "must trust credentials.iot.amazonaws.com"),
    ])
    func `a refusal names the value and the remedy`(status: Int, answer: String, remedy: String) async throws {
        let device = try await CertifiedDevice()
        device.provider(.refuses(status, answer))
        let failure = await IoTCredentials(in: device.context()).failure()
        #expect(failure?.message.contains(": \(answer) (HTTP \(status)) ") == true, "\(String(describing: failure))")
        #expect(failure?.message.contains(remedy) == true, "\(String(describing: failure))")
        #expect(failure?.underlying?.status == status)
        #expect(device.server.requests.count == 1)
    }

    @Test(arguments: [(429, ServiceFailure.Kind.throttled), (500, .transient), (503, .transient)])
    func `a busy or failing provider is a temporary failure, after three tries`(
        status: Int,
        kind: ServiceFailure.Kind
    ) async throws {
        let device = try await CertifiedDevice()
        device.provider(.refuses(status, "Try again"))
        let failure = await IoTCredentials(in: device.context()).failure()
        #expect(failure?.isTemporary == true && failure?.underlying?.kind == kind, "\(String(describing: failure))")
        #expect(failure?.message.contains(": Try again (HTTP \(status))") == true)
        #expect(device.server.requests.count == 3)
    }

    @Test(arguments: [
        "", "not JSON", "{}", #"{"credentials":{}}"#,
        #"{"credentials":{"accessKeyId":"ASIA","secretAccessKey":"canary-secret","sessionToken":"t"}}"#,
        #"{"credentials":{"accessKeyId":"ASIA","secretAccessKey":"canary-secret","expiration":"soon"}}"#,
    ])
    func `a response without complete keys is an error that quotes none of it`(body: String) async throws {
        let transport = Answering(.init(status: 200, body: Array(body.utf8)))
        let failure = try #require(await IoTCredentials(in: try context(transport)).failure())
        #expect(failure.kind == .failed && failure.message.hasPrefix("AWS IoT credentials provider at host.example: "))
        #expect(!failure.message.contains("canary"))
    }

    @Test func `the request has timeouts of seconds and a limit of 64 KiB, and fails three times at most`() async throws
    {
        let transport = Answering(nil)
        _ = await IoTCredentials(in: try context(transport)).failure()
        let requests = transport.requests.all
        #expect(requests.count == 3)
        let request = try #require(requests.first)
        #expect(request.url == "https://host.example/role-aliases/alias/credentials")
        #expect(request.timeouts.total == .seconds(30) && request.maximumResponseBytes == 64 << 10)
        #expect(request.clientCertificate?.privateKey == "pkcs11:object=key?pin-value=1234")
    }

    private func context(_ transport: Answering) throws -> CredentialsContext {
        try .test(
            [
                "AWS_IOT_CORE_CREDENTIAL_ENDPOINT": "https://host.example", "AWS_IOT_CORE_ROLE_ALIAS": "alias",
                "AWS_IOT_CORE_CERT": "pkcs11:object=cert",
                "AWS_IOT_CORE_PRIVATE_KEY": "pkcs11:object=key?pin-value=1234",
            ],
            transport: transport
        )
    }

    @Test(arguments: [
        ("endpoint", "", "AWS_IOT_CORE_ROLE_ALIAS is set without AWS_IOT_CORE_CREDENTIAL_ENDPOINT"),
        ("endpoint", "http://c1.credentials.iot.eu-west-1.amazonaws.com", "give the host alone"),
        ("endpoint", "c1.credentials.iot.eu-west-1.amazonaws.com/x", "give the host alone"),
        ("endpoint", "a1-ats.iot.eu-west-1.amazonaws.com", "does not give credentials. Use the one that aws iot"),
        ("endpoint", "data.iot.cn-north-1.amazonaws.com.cn", "does not give credentials. Use the one that aws iot"),
        ("endpoint", "two words", "AWS_IOT_CORE_CREDENTIAL_ENDPOINT: \"https://two words\" is not an endpoint address"),
        ("alias", "arn:aws:iot:eu-west-1:1:rolealias/a", "its name, not its ARN"),
        ("thing", "a thing", "AWS_IOT_CORE_THING_NAME is \"a thing\": a thing's name is"),
        ("cert", "", "is set without AWS_IOT_CORE_CERT: "),
        ("key", "", "is set without AWS_IOT_CORE_PRIVATE_KEY: "),
        ("cert", "/no/such.pem", "AWS_IOT_CORE_CERT: /no/such.pem does not exist."),
        ("key", "/no/such.pem", "AWS_IOT_CORE_PRIVATE_KEY: /no/such.pem does not exist."),
        ("cert", "/dev/null", "AWS_IOT_CORE_CERT: /dev/null is not a certificate in PEM format."),
    ])
    func `a setting that cannot be right is an error before anything is sent`(
        setting: String,
        value: String,
        reason: String
    ) async throws {
        let names = [
            "endpoint": "CREDENTIAL_ENDPOINT", "alias": "ROLE_ALIAS", "thing": "THING_NAME", "cert": "CERT",
            "key": "PRIVATE_KEY",
        ]
        let authority = try TLSAuthority()
        let identity = try authority.identity(for: "DNS:device")
        var environment = [
            "AWS_IOT_CORE_CREDENTIAL_ENDPOINT": "127.0.0.1:1", "AWS_IOT_CORE_ROLE_ALIAS": "alias",
            "AWS_IOT_CORE_CERT": identity.certificate, "AWS_IOT_CORE_PRIVATE_KEY": identity.key,
        ]
        environment["AWS_IOT_CORE_\(try #require(names[setting]))"] = value
        let transport = Answering(nil)
        let failure = await IoTCredentials(in: try .test(environment, transport: transport)).failure()
        #expect(failure?.kind == .failed && failure?.message.contains(reason) == true, "\(String(describing: failure))")
        #expect(transport.requests.all.isEmpty)
    }
}

/// Gives every request the same response; without one, the connection is lost.
private struct Answering: HTTPTransport {
    let requests = Recorded<HTTPRequest>()
    private let response: HTTPResponse?

    init(_ response: HTTPResponse?) {
        self.response = response
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        requests.append(request)
        guard let response else { throw HTTPFailure(.connectionLost, "host.example: the connection was lost.") }
        return response
    }
}
