import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// Streams by ARN, and their own settings, against real services.
@Suite(.timeLimit(.minutes(10))) struct StreamARNTests {
    @Test func `records saved under an ARN are delivered to the stream of that account`() async throws {
        let moto = try await MotoServer.shared()
        let other = "210987654321"
        try await moto.createStream("orders")
        try await moto.createStream("orders", account: other)
        let recorder = try Recorders.kinesis(url: moto.url)
        for (account, text) in [(MotoServer.account, "own"), (other, "another's")] {
            let arn = "arn:aws:kinesis:us-east-1:\(account):stream/orders"
            _ = try await recorder.saveRecord(Data(text.utf8), streamName: arn).value
        }
        #expect(await recorder.submitAllRecords().failure() == nil)
        #expect(try await moto.kinesisRecords("orders").map(\.text) == ["own"])
        #expect(try await moto.kinesisRecords("orders", account: other).map(\.text) == ["another's"])
        #expect(recorder.diskBytesUsed == 0)
    }

    @Test func `another account's stream takes records where its policy and the user's allow it, and nowhere else`()
        async throws
    {
        let server = try await CheckedServer()
        let recorder = try Recorders.kinesis(url: server.url, keys: server.setUp.user)
        let arn = "arn:aws:kinesis:us-east-1:\(CheckedServer.otherAccount):stream/"
        for format in [AWSKinesisRequestFormat.json, .cbor] {
            recorder.requestFormat = format
            _ = try await recorder.saveRecord(Data("\(format)".utf8), streamName: arn + "shared").value
            #expect(await recorder.submitAllRecords().failure() == nil)
        }
        #expect(try await server.records(of: "shared", account: CheckedServer.otherAccount) == ["json", "cbor"])
        _ = try await recorder.saveRecord(Data("kept".utf8), streamName: arn + "closed").value
        let error = try #require(await recorder.submitAllRecords().failure())
        #expect(error.code == AWSServiceErrorType.accessDeniedException.rawValue, "\(error)")
        let errors = try #require(error.userInfo[AWSRecorderStreamErrorsKey] as? [String: NSError])
        #expect(Array(errors.keys) == [arn + "closed"])
        #expect(recorder.diskBytesUsed > 0)
        #expect(try await server.records(of: "closed", account: CheckedServer.otherAccount).isEmpty)
        await server.stop()
    }

    @Test func `an ARN of another region, service or account's form faults the save, and nothing is saved`()
        async throws
    {
        let recorder = try Recorders.kinesis()
        for arn in [
            "arn:aws:kinesis:eu-west-1:123456789012:stream/orders", "arn:aws:kinesis:us-east-1:1234:stream/orders",
            "arn:aws:firehose:us-east-1:123456789012:deliverystream/orders",
            "arn:aws-cn:kinesis:us-east-1:123456789012:stream/orders",
        ] {
            let error = try #require(await recorder.saveRecord(Data("a".utf8), streamName: arn).failure())
            #expect(error.domain == AWSKinesisRecorderErrorDomain)
            #expect(error.localizedDescription.contains(arn), "\(error)")
        }
        #expect(recorder.diskBytesUsed == 0)
    }

    @Test func `a 3 MiB record to a stream of 1 MiB is reported with both sizes, and its neighbors are delivered`()
        async throws
    {
        let moto = try await MotoServer.shared()
        try await moto.createStream("one-mebibyte", maximumKiB: 1_024)
        let recorder = try Recorders.kinesis(url: moto.url)
        recorder.maximumRecordBytes = 10 << 20
        recorder.batchRecordsByteLimit = 10 << 20
        recorder.diskByteLimit = 0
        let notes = Recorders.notes(.AWSRecorderDidDiscardRecords, from: recorder)
        for text in ["before", "large", "after"] {
            let data = text == "large" ? Data(count: 3 << 20) : Data(text.utf8)
            _ = try await recorder.saveRecord(data, streamName: "one-mebibyte", partitionKey: "k").value
        }
        #expect(await recorder.submitAllRecords().failure() == nil)
        #expect(try await moto.kinesisRecords("one-mebibyte").map(\.text) == ["before", "after"])
        let statistics = try #require(recorder.statistics)
        #expect(statistics.stored == 0 && statistics.delivered == 2 && statistics.rejected == 1)
        #expect(try await moto.requests("one-mebibyte").count <= 5)
        while notes.all.isEmpty { await Task.yield() }
        let note = try #require(notes.all.first)
        #expect(note.texts[AWSRecorderDiscardReasonKey] == "ValidationException")
        let message = try #require(note.texts[AWSRecorderDiscardMessageKey])
        #expect(message.contains("3145729 bytes") && message.contains("1048576"))
    }

    @Test func `records of up to 10 MiB reach a stream that accepts them`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("ten-mebibytes")
        let recorder = try Recorders.kinesis(url: moto.url)
        #expect(recorder.maximumRecordBytes == 262_144)
        recorder.maximumRecordBytes = .max
        #expect(recorder.maximumRecordBytes == 10 << 20)
        recorder.diskByteLimit = 0
        let data = Data(repeating: 7, count: (10 << 20) - 1)
        _ = try await recorder.saveRecord(data, streamName: "ten-mebibytes", partitionKey: "k").value
        #expect(await recorder.submitAllRecords().failure() == nil)
        #expect(try await moto.kinesisRecords("ten-mebibytes").map(\.data) == [data])
    }

    @Test func `a stream that distributes records by itself gets no keys where the user asks for that`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("automatic", shards: 2, distributesRecords: true)
        try await moto.createStream("by-key")
        let recorder = try Recorders.kinesis(url: moto.url)
        #expect(!recorder.omitsPartitionKeys)
        recorder.omitsPartitionKeys = true
        let texts = (0..<20).map(String.init)
        _ = try await recorder.saveRecords(texts.map { Data($0.utf8) }, streamName: "automatic").value
        #expect(await recorder.submitAllRecords().failure() == nil)
        let arrived = try await moto.kinesisRecords("automatic")
        #expect(Set(arrived.map(\.text)) == Set(texts))
        #expect(arrived.allSatisfy { $0.partitionKey.isEmpty })
        _ = try await recorder.saveRecord(Data("kept".utf8), streamName: "by-key").value
        let error = try #require(await recorder.submitAllRecords().failure())
        #expect(error.localizedDescription.contains("without partition keys"))
        recorder.omitsPartitionKeys = false
        #expect(await recorder.submitAllRecords().failure() == nil)
        #expect(try await moto.kinesisRecords("by-key").map(\.text) == ["kept"])
    }
}
