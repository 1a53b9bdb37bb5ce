import AmplifyFirehoseClient
import AmplifyKinesisClient
import Foundation
import RecorderTestSupport
import Testing

/// Streams by ARN, records that their stream does not accept, and records without keys.
@Suite(.timeLimit(.minutes(5))) struct StreamARNTests {
    @Test func `records under an ARN are delivered to the stream of that account, and events have the ARN`()
        async throws
    {
        let moto = try await MotoServer.shared()
        let account = "310987654321"
        try await moto.createStream("amplify-orders", account: account)
        let (client, directory) = try kinesis(moto)
        defer { withExtendedLifetime(directory) {} }
        let arn = "arn:aws:kinesis:us-east-1:\(account):stream/amplify-orders"
        var events = client.events().makeAsyncIterator()
        try await client.record(data: Data("a".utf8), partitionKey: "k", streamName: arn)
        #expect(try await client.flush().recordsFlushed == 1)
        #expect(try await moto.kinesisRecords("amplify-orders", account: account).map(\.text) == ["a"])
        #expect(await events.next() == .delivered(records: 1, streamName: arn))
    }

    @Test func `Firehose gets the name of an ARN`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createDeliveryStream("amplify-arn")
        let client = try TestClient(.firehose, to: moto.url)
        let arn = "arn:aws:firehose:us-east-1:\(MotoServer.account):deliverystream/amplify-arn"
        try await client.record("a", to: arn)
        #expect(try await client.flush().recordsFlushed == 1)
        #expect(try await moto.firehoseBytes("amplify-arn") == Array("a".utf8))
    }

    @Test(arguments: ClientKind.allCases)
    func `an ARN of another region is a validation error, and nothing is cached`(kind: ClientKind) async throws {
        let client = try TestClient(kind, to: "http://127.0.0.1:1")
        let resource =
            kind == .kinesis
            ? "kinesis:eu-west-1:123456789012:stream" : "firehose:eu-west-1:123456789012:deliverystream"
        let error = await failure { try await client.record("a", to: "arn:aws:\(resource)/orders") }
        switch error {
        case KinesisError.validation(let text, _, _)?, FirehoseError.validation(let text, _, _)?:
            #expect(text.contains("eu-west-1") && text.contains("us-east-1"))
        default: Issue.record("not a validation error: \(String(describing: error))")
        }
        #expect(try await client.clear() == 0)
    }

    @Test func `a record that its stream does not accept fails with both sizes, and the others are delivered`()
        async throws
    {
        let moto = try await MotoServer.shared()
        try await moto.createStream("amplify-one-mebibyte", maximumKiB: 1_024)
        let (client, directory) = try kinesis(moto, maxRetries: 1)
        defer { withExtendedLifetime(directory) {} }
        var events = client.events().makeAsyncIterator()
        for text in ["before", "large", "after"] {
            let data = text == "large" ? Data(count: 3 << 20) : Data(text.utf8)
            try await client.record(data: data, partitionKey: "k", streamName: "amplify-one-mebibyte")
        }
        #expect(try await client.flush().recordsFlushed == 2)
        #expect(try await moto.kinesisRecords("amplify-one-mebibyte").map(\.text) == ["before", "after"])
        var reason: String?
        while reason == nil, let event = await events.next() {
            if case .retried(1, "amplify-one-mebibyte", let text) = event { reason = text }
        }
        let text = try #require(reason)
        #expect(text.contains("3145729 bytes") && text.contains("1048576"))
        try await client.flush()
        while let event = await events.next() {
            guard case .discarded(let count, let streams, .maxRetriesExceeded) = event else { continue }
            #expect(count == 1 && streams == ["amplify-one-mebibyte"])
            break
        }
        #expect(try await client.clearCache().recordsCleared == 0)
    }

    @Test func `a record without a key reaches a stream that distributes records by itself`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("amplify-automatic", distributesRecords: true)
        let (client, directory) = try kinesis(moto)
        defer { withExtendedLifetime(directory) {} }
        try await client.record(data: Data("one".utf8), streamName: "amplify-automatic")
        try await client.record(contentsOf: [Data("two".utf8), Data("three".utf8)], streamName: "amplify-automatic")
        try await client.record(data: Data("four".utf8), partitionKey: "k", streamName: "amplify-automatic")
        #expect(try await client.flush().recordsFlushed == 4)
        let records = try await moto.kinesisRecords("amplify-automatic")
        #expect(records.map(\.text) == ["one", "two", "three", "four"])
        #expect(records.map(\.partitionKey) == ["", "", "", "k"])
    }

    private func kinesis(_ moto: MotoServer, maxRetries: Int = 5) throws -> (AmplifyKinesisClient, TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        let client = try AmplifyKinesisClient(
            region: "us-east-1",
            credentialsProvider: TestCredentials(),
            options: .init(
                maxRetries: maxRetries,
                flushStrategy: .none,
                configureClient: { $0.endpoint = moto.url },
                storeDirectory: URL(fileURLWithPath: directory.path)
            )
        )
        return (client, directory)
    }
}
