import AmplifyFoundation
import AmplifyKinesisClient
import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// What leaves the machine.
@Suite struct RequestTests {
    @Test(arguments: Side.allCases)
    func `requests name Amplify and the client, those of the service's own client too`(side: Side) async throws {
        let lists = #"""
            {"StreamNames":[],"HasMoreStreams":false,"DeliveryStreamNames":[],"HasMoreDeliveryStreams":false}
            """#
        let server = try LocalServer { request, _ in
            request.operation?.hasPrefix("List") == true ? .json(200, lists) : Put(request).taken()
        }
        let client = try TestClient(side, to: server.url)
        try await client.record("text")
        try await client.flush()
        try await client.list()
        let version = AmplifyMetadata.version
        let agents = server.requests.map { $0.header("User-Agent") ?? "" }
        #expect(agents.count == 2)
        for agent in agents {
            #expect(agent.hasSuffix(" lib/amplify-swift#\(version) md/amplify-\(side)#\(version)"), "\(agent)")
        }
    }

    @Test(arguments: Side.allCases)
    func `the token of temporary credentials is sent`(side: Side) async throws {
        let server = try TakingServer()
        let client = try TestClient(side, to: server.url) { $0.provider = TemporaryKeys() }
        try await client.record("text")
        try await client.flush()
        let request = try #require(server.server.requests.first)
        #expect(request.header("X-Amz-Security-Token") == "the-token")
        #expect(request.header("Authorization")?.contains("ASIAEXAMPLE/") == true)
    }

    @Test func `records keep their order within a stream`() async throws {
        let server = try TakingServer()
        let client = try TestClient(.kinesis, to: server.url)
        for number in 0..<50 { try await client.record("\(number)") }
        try await client.flush()
        #expect(server.texts == (0..<50).map(String.init))
    }

    @Test func `what configureClient sets is what the service's own client shows`() throws {
        let client = try AmplifyKinesisClient(
            region: "eu-central-1",
            credentialsProvider: Keys(),
            options: .init(flushStrategy: .none) { config in
                config.endpoint = "http://127.0.0.1:1"
                config.maxAttempts = 7
                config.httpClientConfiguration.socketTimeout = 5
            }
        )
        let config = client.getKinesisClient().config
        #expect(config.region == "eu-central-1" && config.endpoint == "http://127.0.0.1:1")
        #expect(config.maxAttempts == 7 && config.httpClientConfiguration.socketTimeout == 5)
    }
}
