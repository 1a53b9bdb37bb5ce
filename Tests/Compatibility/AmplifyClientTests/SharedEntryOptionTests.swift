import AmplifyFirehoseClient
import AmplifyKinesisClient
import Foundation
import RecorderTestSupport
import Testing

/// The options of entries that several records share, and of order.
@Suite(.timeLimit(.minutes(5))) struct SharedEntryOptionTests {
    private typealias Kinesis = AmplifyKinesisClient.Options
    private typealias Firehose = AmplifyFirehoseClient.Options

    @Test func `by default nothing is shared, and no order is kept`() {
        let kinesis = Kinesis(flushStrategy: .none)
        #expect(!kinesis.aggregatesRecords && kinesis.aggregatedEntryBytes == 51_200 && !kinesis.keepsOrder)
        let firehose = Firehose(flushDrains: true)
        #expect(!firehose.packsRecords && firehose.packedRecordBytes == 5_120)
        #expect(!firehose.appendsNewline)
    }

    @Test func `each option can be given alone or with others`() {
        #expect(Kinesis(keepsOrder: true).keepsOrder)
        #expect(Kinesis(aggregatesRecords: true).aggregatesRecords)
        #expect(!Kinesis().assumesDistributionByKey && Kinesis(assumesDistributionByKey: true).assumesDistributionByKey)
        let all = Kinesis(flushDrains: true, requestFormat: .cbor, aggregatesRecords: true, keepsOrder: true)
        #expect(all.flushDrains && all.keepsOrder && all.requestFormat == .cbor && all.aggregatesRecords)
        let packed = Firehose(appendsNewline: true, packsRecords: true, packedRecordBytes: 10_240)
        #expect(packed.appendsNewline && packed.packsRecords && packed.packedRecordBytes == 10_240)
    }

    @Test(arguments: [0, 1_023, 1_048_577, -1, .max])
    func `a size of aggregated entries outside the limits is an error that names them`(bytes: Int) throws {
        let error = #expect(throws: KinesisError.self) {
            try AmplifyKinesisClient(
                region: "us-east-1",
                credentialsProvider: TestCredentials(),
                options: Kinesis(flushStrategy: .none, aggregatesRecords: true, aggregatedEntryBytes: bytes)
            )
        }
        guard case .validation(let description, let suggestion, _) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(description.contains("aggregatedEntryBytes is \(bytes)"))
        #expect(suggestion == "Pass a number of bytes from 1024 to 1048576.")
    }

    @Test(
        arguments: [
            (false, 5_120, "packsRecords joins records at their newlines, but appendsNewline is false"),
            (true, 1_024_001, "packedRecordBytes is 1024001"),
        ]
    )
    func `records are not packed without newlines, or beyond what Firehose accepts`(
        appendsNewline: Bool,
        bytes: Int,
        problem: String
    ) throws {
        let options = Firehose(
            flushStrategy: .none,
            appendsNewline: appendsNewline,
            packsRecords: true,
            packedRecordBytes: bytes
        )
        let error = #expect(throws: FirehoseError.self) {
            try AmplifyFirehoseClient(region: "us-east-1", credentialsProvider: TestCredentials(), options: options)
        }
        guard case .validation(let description, _, _) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(description.contains(problem))
    }

    @Test func `a Firehose client ends each record with a newline if its options say so`() async throws {
        let server = try LocalServer { request, _ in ReceivedPut(request).reply() }
        let directory = try TemporaryDirectory()
        let client = try AmplifyFirehoseClient(
            region: "us-east-1",
            credentialsProvider: TestCredentials(),
            options: Firehose(
                flushStrategy: .none,
                configureClient: { $0.endpoint = server.url },
                storeDirectory: URL(fileURLWithPath: directory.path),
                appendsNewline: true
            )
        )
        try await client.record(contentsOf: [Data("a".utf8), Data("b\n".utf8)], streamName: "lines")
        try await client.flush()
        #expect(server.requests.flatMap { ReceivedPut($0).texts } == ["a\n", "b\n"])
    }

    @Test func `a Kinesis client aggregates records of a key, keeps order, and counts both`() async throws {
        let server = try LocalServer { request, _ in ReceivedPut(request).reply() }
        let directory = try TemporaryDirectory()
        let client = try AmplifyKinesisClient(
            region: "us-east-1",
            credentialsProvider: TestCredentials(),
            options: Kinesis(
                flushStrategy: .none,
                configureClient: { $0.endpoint = server.url },
                flushDrains: true,
                storeDirectory: URL(fileURLWithPath: directory.path),
                aggregatesRecords: true,
                keepsOrder: true,
                assumesDistributionByKey: true
            )
        )
        let data = (0..<300).map { Data("\($0)".utf8) }
        try await client.record(contentsOf: data, partitionKey: "k", streamName: "amplify-aggregated")
        let flushed = try await client.flush()
        #expect(flushed.recordsFlushed == 300 && flushed.entriesFlushed == 1)
        #expect(server.requests.flatMap { PutRequestBody($0.body).aggregatedRecords } == [data])
    }

    @Test func `a Firehose client packs lines, and its events count records and entries`() async throws {
        let server = try LocalServer { request, _ in ReceivedPut(request).reply() }
        let directory = try TemporaryDirectory()
        let client = try AmplifyFirehoseClient(
            region: "us-east-1",
            credentialsProvider: TestCredentials(),
            options: Firehose(
                flushStrategy: .none,
                configureClient: { $0.endpoint = server.url },
                storeDirectory: URL(fileURLWithPath: directory.path),
                appendsNewline: true,
                packsRecords: true
            )
        )
        var events = client.events().makeAsyncIterator()
        try await client.record(contentsOf: ["a", "b", "c"].map { Data($0.utf8) }, streamName: "lines")
        #expect(try await client.flush().entriesFlushed == 1)
        #expect(server.requests.flatMap { ReceivedPut($0).texts } == ["a\nb\nc\n"])
        #expect(await events.next() == .delivered(records: 3, streamName: "lines"))
        guard case .progress(let status) = await events.next() else {
            Issue.record("no progress")
            return
        }
        #expect(status.recordsFlushed == 3 && status.entriesFlushed == 1)
    }
}
