import AWSFirehoseClient
import AWSKinesisClient
import AWSServiceClients
import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

/// The modern clients as programs use them, over real sockets.
@Suite(.timeLimit(.minutes(10))) struct KinesisClientTests {
    private static func configure(_ configuration: inout KinesisClient.KinesisClientConfiguration, endpoint url: String)
    {
        let keys = AWSCredentialIdentity(accessKey: Canary.accessKey, secret: Canary.secret, sessionToken: Canary.token)
        configuration.endpoint = url
        configuration.awsCredentialIdentityResolver = StaticAWSCredentialIdentityResolver(keys)
        configuration.maxAttempts = 1
    }

    private static func client(endpoint url: String) throws -> KinesisClient {
        var configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
        configure(&configuration, endpoint: url)
        return KinesisClient(config: configuration)
    }

    @Test func `records that were put are returned by a shard iterator`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("client-put")
        let client = try Self.client(endpoint: moto.url)
        let entries = (0..<3).map {
            KinesisClientTypes.PutRecordsRequestEntry(data: Data("record \($0)".utf8), partitionKey: "key \"\($0)\"")
        }
        let put = try await client.putRecords(input: PutRecordsInput(records: entries, streamName: "client-put"))
        #expect(put.failedRecordCount == 0)
        #expect(put.records?.count == 3)
        let shards = try await client.listShards(input: ListShardsInput(streamName: "client-put")).shards
        let iterator = try await client.getShardIterator(
            input: GetShardIteratorInput(
                shardId: shards?.first?.shardId,
                shardIteratorType: .trimHorizon,
                streamName: "client-put"
            )
        )
        let got = try await client.getRecords(input: GetRecordsInput(shardIterator: iterator.shardIterator))
        #expect(got.records?.map(\.data) == entries.map(\.data))
        #expect(got.records?.map(\.partitionKey) == entries.map(\.partitionKey))
        let age = try #require(got.records?.first?.approximateArrivalTimestamp).timeIntervalSinceNow
        #expect(abs(age) < 3600)
    }

    @Test func `Firehose accepts a batch`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createDeliveryStream("client-batch")
        let keys = AWSCredentialIdentity(accessKey: Canary.accessKey, secret: Canary.secret)
        let client = FirehoseClient(
            config: try FirehoseClient.FirehoseClientConfig(
                awsCredentialIdentityResolver: StaticAWSCredentialIdentityResolver(keys),
                region: "us-east-1",
                endpoint: moto.url
            )
        )
        let records = ["a", "b"].map { FirehoseClientTypes.Record(data: Data($0.utf8)) }
        let answer = try await client.putRecordBatch(
            input: PutRecordBatchInput(deliveryStreamName: "client-batch", records: records)
        )
        #expect(answer.failedPutCount == 0)
        #expect(answer.requestResponses?.allSatisfy { $0.recordId?.isEmpty == false } == true)
        #expect(try await moto.firehoseBytes("client-batch") == Array("ab".utf8))
    }

    @Test func `an error of the service model is thrown as its own type`() async throws {
        let moto = try await MotoServer.shared()
        let client = try Self.client(endpoint: moto.url)
        await #expect {
            _ = try await client.describeStream(input: DescribeStreamInput(streamName: "nowhere"))
        } throws: { error in
            let error = error as? ResourceNotFoundException
            return error?.message?.contains("nowhere") == true && error?.statusCode == 400
        }
    }

    @Test func `an error with any other code keeps code, message and request ID`() async throws {
        let server = try LocalServer { _, _ in
            let id = HTTPHeader("x-amzn-RequestId", "id-1")
            return .json(403, #"{"__type":"UnheardOf","message":"no"}"#, headers: [id])
        }
        let client = try Self.client(endpoint: server.url)
        await #expect {
            _ = try await client.describeLimits(input: DescribeLimitsInput())
        } throws: { error in
            let error = error as? UnknownAWSHTTPServiceError
            return error?.errorCode == "UnheardOf" && error?.message == "no" && error?.requestID == "id-1"
                && error?.localizedDescription == "UnheardOf: no (HTTP 403, request id-1)"
        }
    }

    @Test func `an answer that does not fit the model says where`() async throws {
        let answer = #"{"Records":[{"Data":"AAAA"},{"Data":7}],"NextShardIterator":"x"}"#
        let server = try LocalServer { _, _ in .json(200, answer) }
        let client = try Self.client(endpoint: server.url)
        await #expect {
            _ = try await client.getRecords(input: GetRecordsInput(shardIterator: "i"))
        } throws: { error in
            let error = error as? AWSClientError
            return error?.kind == .unreadableAnswer && error?.message.contains("Records[1].Data is not base64") == true
        }
    }

    @Test func `null, unknown members and unknown enumeration values are accepted`() async throws {
        let answer = #"{"StreamDescriptionSummary":{"StreamStatus":"DREAMING","KeyId":null,"New":{"x":[1]}}}"#
        let server = try LocalServer { _, _ in .json(200, answer) }
        let client = try Self.client(endpoint: server.url)
        let summary = try await client.describeStreamSummary(input: DescribeStreamSummaryInput(streamName: "s"))
            .streamDescriptionSummary
        #expect(summary?.streamStatus == .sdkUnknown("DREAMING"))
        #expect(summary?.streamStatus?.rawValue == "DREAMING")
        #expect(summary?.keyId == nil)
    }

    @Test func `the request names the library and the application`() async throws {
        let server = try LocalServer { _, _ in .json(200, "") }
        var configuration = try KinesisClient.KinesisClientConfiguration(region: "eu-west-1")
        Self.configure(&configuration, endpoint: server.url)
        configuration.appID = "weather station"
        configuration.signingRegion = "eu-central-1"
        configuration.userAgentSuffix = "lib/amplify-swift#2.60.1 md/amplify-kinesis#2.60.1"
        let client = KinesisClient(config: configuration)
        _ = try await client.deleteStream(input: DeleteStreamInput(enforceConsumerDeletion: true, streamName: "s"))
        let request = try #require(server.requests.first)
        #expect(request.operation == "DeleteStream")
        #expect(request.text == #"{"EnforceConsumerDeletion":true,"StreamName":"s"}"#)
        let agent = try #require(request.header("User-Agent"))
        #expect(agent.hasPrefix("swift-aws-recorder/"))
        #expect(agent.hasSuffix(" app/weather-station lib/amplify-swift#2.60.1 md/amplify-kinesis#2.60.1"))
        #expect(request.header("X-Amz-Security-Token") == Canary.token)
        #expect(request.header("Authorization")?.contains("/eu-central-1/kinesis/") == true)
    }

    @Test func `a client keeps the configuration it was created with`() throws {
        let configuration = try KinesisClient.KinesisClientConfiguration(region: "eu-west-1")
        let client = KinesisClient(config: configuration)
        configuration.region = "us-east-1"
        #expect(client.config.region == "eu-west-1")
    }

    @Test func `maxAttempts and a custom backoff are respected`() async throws {
        struct Quick: RetryBackoffStrategy {
            func computeNextBackoffDelay(attempt: Int) -> TimeInterval { 0.001 * Double(attempt) }
        }
        let server = try LocalServer { _, _ in .error(500, "InternalFailure") }
        var configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
        Self.configure(&configuration, endpoint: server.url)
        configuration.maxAttempts = 4
        configuration.retryStrategyOptions = RetryStrategyOptions(backoffStrategy: Quick(), maxRetriesBase: 1)
        let client = KinesisClient(config: configuration)
        await #expect(throws: UnknownAWSHTTPServiceError.self) {
            _ = try await client.listStreams(input: ListStreamsInput())
        }
        #expect(server.requests.count == 4)
    }

    @Test(arguments: [0, -1, .nan, .infinity] as [TimeInterval])
    func `the client's time limits apply to its calls, and an invalid one leaves the default`(odd: TimeInterval) throws
    {
        let configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
        func timeouts() throws -> HTTPTimeouts {
            try configuration.callConfiguration(for: .kinesis, environment: [:]).timeouts
        }
        configuration.httpClientConfiguration = HTTPClientConfiguration(
            connectTimeout: odd,
            socketTimeout: odd,
            requestTimeout: odd
        )
        #expect(try timeouts() == HTTPTimeouts())
        configuration.httpClientConfiguration = HTTPClientConfiguration(
            connectTimeout: 1,
            socketTimeout: 2,
            requestTimeout: 1e300,
            minimumBytesPerSecond: -5
        )
        let longest = Duration.seconds(10 * 365 * 86_400)
        #expect(
            try timeouts()
                == HTTPTimeouts(connect: .seconds(1), stall: .seconds(2), minimumBytesPerSecond: 0, total: longest)
        )
    }

    @Test(
        arguments: [
            (.nan, 0), (-.nan, 0), (-.infinity, 0), (-1, 0), (.infinity, 86_400), (1e300, 86_400), (0.5, 0.5),
        ] as [(TimeInterval, Double)]
    )
    func `an invalid backoff counts as zero, and an infinite one as a day`(given: TimeInterval, seconds: Double) throws
    {
        struct Odd: RetryBackoffStrategy {
            let given: TimeInterval

            func computeNextBackoffDelay(attempt: Int) -> TimeInterval { given }
        }
        let configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
        configuration.retryStrategyOptions = RetryStrategyOptions(backoffStrategy: Odd(given: given))
        let call = try configuration.callConfiguration(for: .kinesis, environment: [:])
        #expect(call.backoff?(0) == .seconds(seconds))
    }

    @Test(arguments: [(Int.min, 0), (-1, 0), (0, 0), (1, 0), (3, 2), (.max, .max - 1)])
    func `a number of attempts below one is one`(attempts: Int, retries: Int) throws {
        let configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
        configuration.maxAttempts = attempts
        #expect(try configuration.callConfiguration(for: .kinesis, environment: [:]).maximumRetries == retries)
    }

    @Test func `FIPS and dual stack select the public endpoint, and leave a custom one unchanged`() throws {
        let configuration = try KinesisClient.KinesisClientConfiguration(useFIPS: true, region: "eu-west-1")
        func host() throws -> String {
            try configuration.callConfiguration(for: .kinesis, environment: [:]).endpoint.host
        }
        #expect(try host() == "kinesis-fips.eu-west-1.amazonaws.com")
        configuration.useFIPS = false
        configuration.useDualStack = true
        #expect(try host() == "kinesis.eu-west-1.api.aws")
        configuration.endpoint = "http://localhost:4566"
        #expect(try host() == "localhost:4566")
    }

    @Test func `a password in the client's endpoint fails the call and is not shown`() async throws {
        let configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
        configuration.endpoint = "http://user:\(Canary.proxyPassword)@127.0.0.1:1"
        let failure = await #expect(throws: AWSClientError.self) {
            try await KinesisClient(config: configuration).listStreams(input: ListStreamsInput())
        }
        let text = "\(failure as Any) \(failure?.localizedDescription ?? "")"
        #expect(text.contains("user name and password"))
        #expect(!text.contains(Canary.proxyPassword))
    }

    @Test func `an invalid setting fails the call, and the message names it`() async throws {
        #expect(throws: AWSClientError.self) { _ = try KinesisClient(region: "a/b") }
        let configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
        configuration.endpoint = "localhost:4566"
        let client = KinesisClient(config: configuration)
        await #expect {
            _ = try await client.listStreams(input: ListStreamsInput())
        } throws: { error in
            (error as? AWSClientError)?.kind == .configuration && error.localizedDescription.contains("localhost:4566")
        }
    }

    @Test func `a resolver's error is reported with its own message`() async throws {
        struct SignedOut: LocalizedError { var errorDescription: String? { "signed out" } }
        struct Failing: AWSCredentialIdentityResolver {
            func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity {
                throw SignedOut()
            }
        }
        let server = try LocalServer { _, _ in .json(200, "{}") }
        var configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
        Self.configure(&configuration, endpoint: server.url)
        configuration.awsCredentialIdentityResolver = Failing()
        let client = KinesisClient(config: configuration)
        await #expect {
            _ = try await client.listStreams(input: ListStreamsInput())
        } throws: { error in
            (error as? AWSClientError)?.kind == .credentials && error.localizedDescription.contains("signed out")
                && (error as? AWSClientError)?.cause is SignedOut
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `no description shows keys`() {
        let identity = AWSCredentialIdentity(
            accessKey: Canary.accessKey,
            secret: Canary.secret,
            sessionToken: Canary.token
        )
        var dumped = ""
        dump(identity, to: &dumped)
        #expect(!"\(identity) \(String(reflecting: identity)) \(dumped)".lowercased().contains("canary"))
    }
}
