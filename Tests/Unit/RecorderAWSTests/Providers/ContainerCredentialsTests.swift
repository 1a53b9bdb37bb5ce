import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ContainerCredentialsTests {
    @Test func `the agent gets its token, and its keys are cached`() async throws {
        let server = try LocalServer { _, _ in .json(200, KeysJSON.text()) }
        let source = try source(server.url + "/v1/credentials?id=1", ["AWS_CONTAINER_AUTHORIZATION_TOKEN": "Basic abc"])
        #expect(try await source.credentials() == KeysJSON.credentials)
        _ = try await source.credentials()
        #expect(server.requests.map(\.path) == ["/v1/credentials?id=1"])
        #expect(server.requests[0].method == "GET")
        #expect(server.requests[0].header("Authorization") == "Basic abc")
    }

    @Test func `a relative URI is for the ECS agent, and takes precedence over a full one`() async throws {
        let server = try LocalServer { _, _ in .json(200, KeysJSON.text()) }
        let transport = Redirecting(host: "169.254.170.2", server: server)
        for path in ["/v2/credentials/id", "v2/credentials/id"] {
            let environment = [
                "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": path,
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1",
            ]
            let fetcher = ContainerCredentials(in: try .test(environment, transport: transport))
            #expect(try await fetcher.fetch() == KeysJSON.credentials)
        }
        #expect(transport.requests.all.map(\.url).allSatisfy { $0 == "http://169.254.170.2/v2/credentials/id" })
        #expect(server.requests.allSatisfy { $0.header("Authorization") == nil })
    }

    @Test func `the token's file takes precedence over the token, and is read for every refresh`() async throws {
        let server = try LocalServer { _, _ in .json(200, KeysJSON.text()) }
        let directory = try TemporaryDirectory()
        let file = directory.path("token")
        try Data("first\n".utf8).write(to: URL(fileURLWithPath: file))
        let source = try source(
            server.url,
            ["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": file, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "other"]
        )
        _ = try await source.credentials()
        try Data("second".utf8).write(to: URL(fileURLWithPath: file))
        source.invalidate()
        _ = try await source.credentials()
        #expect(server.requests.map { $0.header("Authorization") } == ["first", "second"])
    }

    @Test(arguments: [
        "http://localhost:1/a", "http://127.0.0.1:1", "http://127.8.9.10:1", "http://[::1]:1/",
        "http://169.254.170.2/a",
        "http://169.254.170.23/v1/credentials", "http://[fd00:ec2::23]/v1/credentials", "https://example.com/a?b=c",
    ])
    func `requests to these hosts have no proxy, a short timeout and a limit of 64 KiB`(url: String) async throws {
        let transport = Refusing()
        let environment = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": url]
        _ = await ContainerCredentials(in: try .test(environment, transport: transport)).failure()
        #expect(transport.requests.all.count == 1)
        let request = try #require(transport.requests.all.first)
        #expect(!request.usesEnvironmentProxy)
        #expect(request.maximumResponseBytes == 65_536)
        #expect(request.timeouts.connect <= .seconds(1) && request.timeouts.total == .seconds(2))
    }

    @Test(arguments: [
        "http://example.com/a", "http://169.254.169.254/", "http://10.0.0.1", "http://127.0.0.1.example.com",
        "http://127.1", "http://[fd00:ec2::254]/", "http://localhost.example.com", "http://user@127.0.0.1/",
        "http://169.254.170.2@example.com/", "ftp://127.0.0.1", "localhost", "http://127.0.0.1/?a=b c",
        "http://127.0.0.1/#a",
        "http://0.0.0.0/", "http://2130706433/", "http://0127.0.0.1/", "http://127.0.0.01/", "http://0x7f.1/",
        "http://0177.0.0.1/", "http://0x7f000001/", "http://127.0.1/", "http://127.0.0.1./",
        "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/", "http://[::2]/", "http://[fe80::1]/",
    ])
    func `no request is sent to another host or to an unusual form of an address`(url: String) async throws {
        let transport = Refusing()
        let environment = [
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": url, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "canary",
        ]
        let failure = await ContainerCredentials(in: try .test(environment, transport: transport)).failure()
        #expect(failure?.kind == .failed)
        #expect(failure?.message.hasPrefix("AWS_CONTAINER_CREDENTIALS_FULL_URI: ") == true)
        #expect(transport.requests.all.isEmpty)
    }

    @Test(arguments: [
        ("http://[0:0:0:0:0:0:0:1]:1/a", "http://[::1]:1/a"), ("http://[FD00:EC2:0::23]/", "http://[fd00:ec2::23]/"),
        ("http://127.0.0.1:80/a?b=c", "http://127.0.0.1/a?b=c"), ("http://LOCALHOST:1", "http://localhost:1/"),
    ])
    func `the address that was checked is the one that is connected to`(given: String, url: String) async throws {
        let transport = Refusing()
        let environment = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": given]
        _ = await ContainerCredentials(in: try .test(environment, transport: transport)).failure()
        #expect(transport.requests.all.first?.url == url)
    }

    @Test(
        arguments: [
            (.json(500, #"{"code":"Outage","message":"not now"}"#), "not now", 3),
            (.dropConnection, "127.0.0.1", 3),
            (.json(403, #"{"message":"no role"}"#), "no role", 1),
            (.json(200, "canary"), "6 bytes that are not a JSON document with keys.", 1),
            (.json(200, #"{"AccessKeyId":"canary"}"#), "without SecretAccessKey.", 1),
            (.json(200, KeysJSON.text(expiration: "canary")), "not a time in ISO 8601.", 1),
            (.json(200, #"{"Code":"Failed","SecretAccessKey":"canary"}"#), "with the Code Failed.", 1),
            (.endless(status: 200), "longer than 65536 bytes", 3),
            (.answer(status: 307, headers: [HTTPHeader("Location", "http://127.0.0.1:1/")], body: []), "307", 1),
        ] as [(Reply, String, Int)]
    )
    func `an agent without keys is an error that says why and quotes no key`(
        reply: Reply,
        reason: String,
        requests: Int
    ) async throws {
        let server = try LocalServer { _, _ in reply }
        let failure = try #require(await source(server.url, ["AWS_CONTAINER_AUTHORIZATION_TOKEN": "canary"]).failure())
        #expect(failure.kind == .failed)
        #expect(failure.message.hasPrefix("AWS_CONTAINER_CREDENTIALS_FULL_URI: "))
        #expect(failure.message.contains(reason), "\(failure)")
        #expect(!failure.message.contains("canary"))
        #expect(server.requests.count == requests)
    }

    @Test func `after an outage the agent is asked again`() async throws {
        let server = try LocalServer { _, index in index < 4 ? .json(503, "{}") : .json(200, KeysJSON.text()) }
        let source = try source(server.url)
        #expect(await source.failure() != nil)
        #expect(try await source.credentials() == KeysJSON.credentials)
    }

    @Test(arguments: [
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "canary\r\nX-Evil: 1", "is not one line"),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/no/such/file", "there is no file /no/such/file."),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/", "cannot be read"),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/dev/null", "should contain a token"),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/dev/zero", "it is a device"),
    ])
    func `the error for an unusable token names its variable, and no request is sent`(
        variable: String,
        value: String,
        reason: String
    ) async throws {
        let server = try LocalServer { _, _ in .json(200, KeysJSON.text()) }
        let failure = try await source(server.url, [variable: value]).failure()
        #expect(failure?.message.hasPrefix(variable) == true)
        #expect(failure?.message.contains(reason) == true, "\(String(describing: failure))")
        #expect(failure?.message.contains("canary") == false)
        #expect(server.requests.isEmpty)
    }

    @Test func `without settings it is not configured`() async throws {
        let failure = await ContainerCredentials(in: try .test(["AWS_CONTAINER_CREDENTIALS_FULL_URI": ""])).failure()
        #expect(failure?.kind == .notConfigured)
    }

    @Test func `a proxy in the environment is used neither here nor for an instance's metadata`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LocalServer { _, _ in .html(502, "proxy") }
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { setenv(name, proxy.url, 1) }
            let server = try LocalServer { _, _ in .json(200, KeysJSON.text()) }
            let container = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url]
            try #require(try await ContainerCredentials(in: try .test(container)).fetch() == KeysJSON.credentials)
            let instance = try InstanceServer()
            let metadata = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": instance.server.url]
            let found = try await InstanceMetadataCredentials(in: try .test(metadata)).fetch()
            try #require(found == KeysJSON.credentials)
            try #require(proxy.connectionCount == 0)
        }
    }

    private func source(_ url: String, _ more: [String: String] = [:]) throws -> CredentialsCache {
        let environment = more.merging(["AWS_CONTAINER_CREDENTIALS_FULL_URI": url]) { $1 }
        return try CredentialsContext.test(environment).source(ContainerCredentials.init)
    }
}

/// A transport that records requests and sends none.
struct Refusing: HTTPTransport {
    let requests = Recorded<HTTPRequest>()

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        requests.append(request)
        throw HTTPFailure(.other, "refused")
    }
}
