import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct InstanceMetadataCredentialsTests {
    @Test func `a token is requested first, then the role's name, then its keys`() async throws {
        let instance = try InstanceServer()
        #expect(try await source(instance).credentials() == KeysJSON.credentials)
        let requests = instance.server.requests
        #expect(requests.map(\.method) == ["PUT", "GET", "GET"])
        let roles = "/latest/meta-data/iam/security-credentials/"
        #expect(requests.map(\.path) == ["/latest/api/token", roles, roles + "my-role"])
        #expect(requests[0].header("X-aws-ec2-metadata-token-ttl-seconds") == "300")
        #expect(requests.map { $0.header("X-aws-ec2-metadata-token") } == [nil, "token-canary", "token-canary"])
    }

    @Test(arguments: [400, 403, 404, 405, 503])
    func `version 1 is never used: without a token there are no further requests`(status: Int) async throws {
        let instance = try InstanceServer(["PUT": .html(status, "no")])
        let failure = try await source(instance).failure()
        #expect(failure?.message.contains("HTTP \(status)") == true, "\(String(describing: failure))")
        #expect(instance.server.requests.map(\.method) == ["PUT"])
    }

    @Test(arguments: ["PUT", "ROLE", "KEYS"])
    func `no redirect is followed, at any step`(step: String) async throws {
        let other = try InstanceServer()
        let location = HTTPHeader("Location", other.server.url + "/latest/api/token")
        let instance = try InstanceServer([step: .answer(status: 307, headers: [location], body: [])])
        #expect(try await source(instance).failure()?.message.contains("HTTP 307") == true)
        #expect(other.server.connectionCount == 0)
    }

    @Test func `each request has a second and 64 KiB, and no proxy`() async throws {
        let transport = Refusing()
        _ = await InstanceMetadataCredentials(in: try .test(transport: transport)).failure()
        let request = try #require(transport.requests.all.first)
        #expect(request.url == "http://169.254.169.254/latest/api/token")
        #expect(request.timeouts == HTTPTimeouts(connect: .seconds(1), stall: .seconds(1), total: .seconds(1)))
        #expect(request.maximumResponseBytes == 65_536)
        #expect(!request.usesEnvironmentProxy)
        #expect(transport.requests.all.count == 1)
    }

    /// In a separate process, so that no other test delays it.
    @Test func `a metadata service that cannot be reached fails within two seconds`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let blackhole = try Blackhole()
            let start = ContinuousClock.now
            let environment = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": blackhole.url]
            // With real delays.
            let source = InstanceMetadataCredentials(in: CredentialsContext(environment: environment))
            let failure = try #require(await source.failure())
            let took = ContinuousClock.now - start
            print("IMDS, unreachable: failed after \(took)")
            #expect(failure.kind == .notConfigured)
            #expect(failure.message.hasPrefix("Instance metadata at \(blackhole.url)"))
            #expect(took < .seconds(2))
        }
        print(String(decoding: try #require(result).standardOutputContent, as: UTF8.self))
    }

    @Test(arguments: ["PUT", "ROLE", "KEYS"])
    func `a service that stalls or never stops is abandoned`(step: String) async throws {
        let written = ByteCount()
        for reply in [Reply.stall, .endless(status: 200, written: written)] {
            let instance = try InstanceServer([step: reply])
            let failure = try #require(await source(instance, over: CurlTransport.shared).failure())
            #expect(failure.message.hasPrefix("Instance metadata at \(instance.server.url)"))
        }
        // Includes what fits into the sockets' buffers.
        #expect(written.value < 32 << 20)
    }

    @Test func `the mode selects IPv6, the endpoint another address, by variable or profile`()
        async throws
    {
        func url(_ environment: [String: String], _ setting: String = "") async throws -> String? {
            let files = try ProfileFiles(config: "[default]\n\(setting)\n")
            let transport = Refusing()
            let context = try CredentialsContext.test(files.environment(environment), transport: transport)
            _ = await InstanceMetadataCredentials(in: context).failure()
            return transport.requests.all.first?.url
        }
        #expect(
            try await url(["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"])
                == "http://[fd00:ec2::254]/latest/api/token"
        )
        #expect(
            try await url([:], "ec2_metadata_service_endpoint_mode = ipv6")?.hasPrefix("http://[fd00:ec2::254]/")
                == true
        )
        #expect(
            try await url(["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://a:1/b/"]) == "http://a:1/b/latest/api/token"
        )
        #expect(try await url([:], "ec2_metadata_service_endpoint = http://a:1") == "http://a:1/latest/api/token")
        #expect(try await url(["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv5"]) == nil)
    }

    @Test func `it can be disabled`() async throws {
        let transport = Refusing()
        let environment = ["AWS_EC2_METADATA_DISABLED": "TRUE"]
        let failure = await InstanceMetadataCredentials(in: try .test(environment, transport: transport)).failure()
        #expect(failure?.kind == .notConfigured)
        #expect(transport.requests.all.isEmpty)
    }

    @Test(
        arguments: [
            ("PUT", .json(200, ""), "0 bytes that are not a token", .failed),
            ("PUT", .json(200, "canary canary"), "13 bytes that are not a token", .failed),
            ("PUT", .dropConnection, "127.0.0.1", .notConfigured),
            ("PUT", .json(429, ""), "HTTP 429", .failed),
            ("ROLE", .json(404, ""), "this instance has no role.", .notConfigured),
            ("ROLE", .json(200, ""), "the response is not a name.", .failed),
            ("ROLE", .json(200, "../canary"), "the response is not a name.", .failed),
            ("ROLE", .json(500, ""), "HTTP 500", .failed),
            ("KEYS", .json(404, ""), "HTTP 404", .failed),
            ("KEYS", .json(200, "canary"), "not a JSON document with keys", .failed),
            ("KEYS", .json(200, #"{"Code":"Failed","Token":"canary"}"#), "with the Code Failed.", .failed),
            ("KEYS", .json(200, #"{"Code":"Success","SecretAccessKey":"canary"}"#), "without AccessKeyId.", .failed),
        ] as [(String, Reply, String, CredentialsFailure.Kind)]
    )
    func `a service without keys is an error that says why and quotes no key`(
        step: String,
        reply: Reply,
        reason: String,
        kind: CredentialsFailure.Kind
    ) async throws {
        let instance = try InstanceServer([step: reply])
        let failure = try #require(await source(instance).failure())
        #expect(!instance.server.requests.isEmpty)
        #expect(failure.kind == kind)
        #expect(failure.message.hasPrefix("Instance metadata at http://127.0.0.1:"))
        #expect(failure.message.contains(reason), "\(failure)")
        #expect(!failure.message.contains("canary"))
    }

    @Test func `a hundred callers at once share one refresh`() async throws {
        let instance = try InstanceServer()
        let source = try source(instance)
        try await withThrowingTaskGroup(of: Credentials?.self) { group in
            for _ in 0..<100 { group.addTask { try await source.credentials() } }
            for try await keys in group { #expect(keys == KeysJSON.credentials) }
        }
        #expect(instance.server.requests.count == 3)
    }

    @Test func `keys are renewed when ten minutes are left, and the old ones are used while that fails`() async throws {
        let outages = Recorded<Bool>()
        let server = try LocalServer { request, _ in
            if !outages.all.isEmpty { return .json(500, "{}") }
            return InstanceServer.reply(to: request)
        }
        let clock = Recorded<Date>()
        let end = try #require(KeysJSON.credentials.expiration)
        clock.append(end - 3600)
        let environment = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": server.url]
        let context = try CredentialsContext.test(environment, now: { clock.all.last ?? end })
        let source = context.source(InstanceMetadataCredentials.init)
        _ = try await source.credentials()
        clock.append(end - 601)
        _ = try await source.credentials()
        #expect(server.requests.count == 3)
        clock.append(end - 599)
        outages.append(true)
        #expect(try await source.credentials() == KeysJSON.credentials)
        #expect(server.requests.count == 4)
        clock.append(end + 1)
        #expect(await source.failure()?.kind == .failed)
    }

    @Test func `expired keys are used for a while, because services continue to accept them`() async throws {
        let now = Date(timeIntervalSince1970: 1_600_000_000)
        let instance = try InstanceServer(["KEYS": .json(200, KeysJSON.text(expiration: "2020-01-01T00:00:00Z"))])
        let environment = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": instance.server.url]
        let fetcher = InstanceMetadataCredentials(in: try .test(environment, now: { now }))
        #expect(try await fetcher.fetch().expiration == now + 900)
    }

    private func source(
        _ instance: InstanceServer,
        over transport: any HTTPTransport = LongTimeoutTransport()
    ) throws -> CredentialsCache {
        let environment = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": instance.server.url]
        let context = try CredentialsContext.test(environment, transport: transport)
        return context.source(InstanceMetadataCredentials.init)
    }
}
