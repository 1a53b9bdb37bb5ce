import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// `saveRecords(_:streamName:)` of both recorders.
@Suite struct SaveRecordsTests {
    private static let texts = (0..<1_200).map { "record \($0)" }
    private static let payloads = texts.map { Data($0.utf8) }

    @Test func `many records saved with one call reach Kinesis once and in order, each with a key of its own`()
        async throws
    {
        let moto = try await MotoServer.shared()
        try await moto.createStream("saved-together")
        let recorder = try Recorders.kinesis(url: moto.url)
        let result = try await recorder.saveRecords(Self.payloads, streamName: "saved-together").value
        #expect(result == nil)
        #expect(recorder.diskBytesUsed > Self.payloads.reduce(0) { $0 + UInt($1.count) })
        _ = try await recorder.submitAllRecords().value
        let records = try await moto.kinesisRecords("saved-together")
        #expect(records.map(\.text) == Self.texts)
        #expect(Set(records.map(\.partitionKey)).count == records.count)
        #expect(recorder.diskBytesUsed == 0)
    }

    @Test func `many records saved with one call reach Firehose once, in order and with the newline that was set`()
        async throws
    {
        let moto = try await MotoServer.shared()
        try await moto.createDeliveryStream("saved-together")
        let recorder = try Recorders.firehose(url: moto.url)
        recorder.appendsNewline = true
        _ = try await recorder.saveRecords(Self.payloads, streamName: "saved-together").value
        _ = try await recorder.submitAllRecords().value
        let arrived = String(decoding: try await moto.firehoseBytes("saved-together"), as: UTF8.self)
        #expect(arrived == Self.texts.map { $0 + "\n" }.joined())
        #expect(recorder.diskBytesUsed == 0)
    }

    @Test func `records saved alone, together and through an optional recorder keep the order of the calls`()
        async throws
    {
        let moto = try await MotoServer.shared()
        try await moto.createStream("saved-alone-and-together")
        let recorder: AWSKinesisRecorder? = try Recorders.kinesis(url: moto.url)
        let saves = [
            recorder.saveRecord(Data("0".utf8), streamName: "saved-alone-and-together"),
            recorder.saveRecords([Data("1".utf8), Data("2".utf8)], streamName: "saved-alone-and-together"),
            recorder.saveRecord(Data("3".utf8), streamName: "saved-alone-and-together"),
            recorder!.saveRecords([Data("4".utf8)], streamName: "saved-alone-and-together"),
        ]
        _ = try await AWSTask<AnyObject>(forCompletionOfAllTasks: saves.compactMap(\.self)).value
        _ = try await recorder.submitAllRecords().value
        let texts = try await moto.kinesisRecords("saved-alone-and-together").map(\.text)
        #expect(texts == ["0", "1", "2", "3", "4"])
    }

    @Test func `one record over 256 KiB faults the task at once with its position, and none is saved`() throws {
        let payloads = [Data([1]), Data(count: 262_144), Data(count: 262_145), Data([4])]
        let kinesis = try Recorders.kinesis()
        let task = kinesis.saveRecords(payloads, streamName: "stream")
        #expect(task.isFaulted)
        let error = try #require(task.error as? NSError)
        #expect(error.domain == AWSKinesisRecorderErrorDomain)
        #expect(error.code == AWSKinesisRecorderErrorType.dataTooLarge.rawValue)
        #expect(error.localizedDescription.hasPrefix("Record 3 of 4 is 262145 bytes; the limit is 262144."))
        let firehose = try Recorders.firehose()
        let other = try #require(firehose.saveRecords(payloads, streamName: "stream").error as? NSError)
        #expect(other.domain == AWSFirehoseRecorderErrorDomain)
        #expect(other.code == AWSFirehoseRecorderErrorType.dataTooLarge.rawValue)
        #expect(other.localizedDescription.hasPrefix("Record 3 of 4 is 262145 bytes"))
        #expect(kinesis.diskBytesUsed == 0 && firehose.diskBytesUsed == 0)
    }

    @Test(arguments: ["", "no spaces", String(repeating: "s", count: 129)])
    func `an invalid stream name faults the task, of no records too, and none is saved`(name: String) async throws {
        let recorder = try Recorders.kinesis()
        for payloads in [Self.payloads, []] {
            let error = try #require(await recorder.saveRecords(payloads, streamName: name).failure())
            #expect(error.domain == AWSKinesisRecorderErrorDomain)
            #expect(error.code == AWSKinesisRecorderErrorType.unknown.rawValue)
            #expect(error.localizedDescription.contains("stream name"))
        }
        #expect(recorder.diskBytesUsed == 0)
    }

    @Test func `no records are saved at once, and nothing is sent`() async throws {
        let server = try LocalServer { _, _ in .error(500, "InternalFailure") }
        let recorder = try Recorders.kinesis(url: server.url)
        _ = try await recorder.saveRecords([], streamName: "stream").value
        #expect(recorder.diskBytesUsed == 0)
        _ = try await recorder.submitAllRecords().value
        #expect(server.requests.isEmpty)
    }

    @Test func `above the disk limit the oldest of many records are discarded and reported`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("saved-above-the-limit")
        let recorder = try Recorders.kinesis(url: moto.url)
        let notes = Recorders.notes(.AWSRecorderDidDiscardRecords, from: recorder)
        recorder.diskByteLimit = 50_000
        _ = try await recorder.saveRecords(Self.payloads, streamName: "saved-above-the-limit").value
        _ = try await recorder.submitAllRecords().value
        let texts = try await moto.kinesisRecords("saved-above-the-limit").map(\.text)
        #expect(!texts.isEmpty && texts.count < Self.texts.count)
        #expect(texts == Self.texts.suffix(texts.count))
        let discarded = notes.all.reduce(0) { $0 + ($1.numbers[AWSRecorderDiscardCountKey] ?? 0) }
        #expect(discarded == Self.texts.count - texts.count)
    }
}
