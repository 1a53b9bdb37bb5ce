import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

@Suite struct NotificationTests {
    @Test
    func `the byte threshold posts nothing at 0 or below it, and posts above it, before the save's task completes`()
        async throws
    {
        let recorder = try Recorders.kinesis()
        let notes = Recorders.notes(.AWSKinesisRecorderByteThresholdReached, from: recorder)
        _ = try await recorder.saveRecord(Data(count: 500), streamName: "stream").value
        #expect(notes.all.isEmpty)
        recorder.notificationByteThreshold = 1_400
        _ = try await recorder.saveRecord(Data(count: 500), streamName: "stream").value
        #expect(notes.all.isEmpty)
        _ = try await recorder.saveRecord(Data(count: 500), streamName: "stream").value
        #expect(notes.all.count == 1)
        #expect(notes.all.first?.numbers["diskBytesUsed"] == Int(recorder.diskBytesUsed))
        #expect(notes.all.first?.isFromSender == true)
        _ = try await recorder.saveRecord(Data(count: 500), streamName: "stream").value
        #expect(notes.all.count == 2)
    }

    @Test func `each recorder has its own threshold`() async throws {
        let loud = try Recorders.firehose()
        let quiet = try Recorders.firehose()
        let heard = Recorders.notes(.AWSFirehoseRecorderByteThresholdReached, from: loud)
        let unheard = Recorders.notes(.AWSFirehoseRecorderByteThresholdReached, from: quiet)
        loud.notificationByteThreshold = 1
        for recorder in [loud, quiet] { _ = try await recorder.saveRecord(Data([1]), streamName: "stream").value }
        #expect(heard.all.count == 1 && unheard.all.isEmpty)
    }

    @Test func `discards for a limit are reported with reason, count, bytes and streams`() async throws {
        let recorder = try Recorders.kinesis()
        let notes = Recorders.notes(.AWSRecorderDidDiscardRecords, from: recorder)
        recorder.diskByteLimit = 250
        for stream in ["a", "b", "c"] {
            _ = try await recorder.saveRecord(Data(count: 10), streamName: stream, partitionKey: "key").value
        }
        #expect(notes.all.isEmpty)
        _ = try await recorder.saveRecord(Data(count: 10), streamName: "d", partitionKey: "key").value
        let note = try #require(notes.all.first)
        #expect(notes.all.count == 1)
        #expect(note.texts[AWSRecorderDiscardReasonKey] == "diskByteLimit")
        #expect(note.numbers[AWSRecorderDiscardCountKey] == 1)
        #expect(note.numbers[AWSRecorderDiscardBytesKey] == 77)
        #expect(note.lists[AWSRecorderDiscardStreamNamesKey] == ["a"])
        #expect(recorder.diskBytesUsed == 3 * 77)
    }
}
