import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

@Suite struct RecorderIdentityTests {
    @Test func `the same key returns the same object`() throws {
        let recorder = try Recorders.kinesis("same")
        #expect(AWSKinesisRecorder(forKey: "same") === recorder)
        #expect(AWSKinesisRecorder(forKey: "same") === AWSKinesisRecorder(forKey: "same"))
        #expect(KinesisRecorder(forKey: "same") === recorder)
        let firehose = try Recorders.firehose("same")
        #expect(FirehoseRecorder(forKey: "same") === firehose)
    }

    @Test func `an unknown key, a removed key and a nil key return nil`() throws {
        #expect(AWSKinesisRecorder(forKey: "not registered") == nil)
        #expect(AWSFirehoseRecorder(forKey: "not registered") == nil)
        _ = try Recorders.kinesis("removed")
        AWSKinesisRecorder.remove(forKey: "removed")
        #expect(AWSKinesisRecorder(forKey: "removed") == nil)
        #expect(AWSKinesisRecorder(forKey: nil) == nil)
    }

    @Test func `the default recorder is always the same object and never nil`() {
        _ = Recorders.path
        #expect(AWSKinesisRecorder.default() === AWSKinesisRecorder.default())
        #expect(AWSFirehoseRecorder.default() === AWSFirehoseRecorder.default())
        #expect(AWSKinesisRecorder.default() != nil)
    }

    @Test func `Kinesis and Firehose recorders with the same key do not share records`() async throws {
        let kinesis = try Recorders.kinesis("shared key")
        let firehose = try Recorders.firehose("shared key")
        _ = try await kinesis.saveRecord(Data("k".utf8), streamName: "stream").value
        #expect(kinesis.diskBytesUsed > 0)
        #expect(firehose.diskBytesUsed == 0)
        _ = try await firehose.saveRecord(Data("f".utf8), streamName: "stream").value
        _ = try await kinesis.removeAllRecords().value
        #expect(kinesis.diskBytesUsed == 0)
        #expect(firehose.diskBytesUsed > 0)
    }

    @Test func `a recorder has the documented defaults and keeps its settings`() throws {
        let recorder = try Recorders.kinesis()
        #expect(recorder.diskByteLimit == 5 * 1_024 * 1_024)
        #expect(recorder.diskAgeLimit == 0)
        #expect(recorder.notificationByteThreshold == 0)
        #expect(recorder.batchRecordsByteLimit == 524_288)
        recorder.diskByteLimit = 10
        recorder.diskAgeLimit = 30 * 24 * 60 * 60
        recorder.notificationByteThreshold = 7
        recorder.batchRecordsByteLimit = .max
        #expect(recorder.diskByteLimit == 10)
        #expect(recorder.diskAgeLimit == 30 * 24 * 60 * 60)
        #expect(recorder.notificationByteThreshold == 7)
        #expect(recorder.batchRecordsByteLimit == 10_485_760)
        let firehose = try Recorders.firehose()
        firehose.batchRecordsByteLimit = .max
        firehose.maximumRecordBytes = .max
        #expect(firehose.batchRecordsByteLimit == 4_194_304)
        #expect(firehose.maximumRecordBytes == 1_024_000)
    }

    @Test func `no value of a limit crashes`() throws {
        let recorder = try Recorders.kinesis()
        for age in [-1, .infinity, -.infinity, .nan, .greatestFiniteMagnitude] as [TimeInterval] {
            recorder.diskAgeLimit = age
            #expect(recorder.diskAgeLimit >= 0)
        }
        recorder.diskByteLimit = .max
        recorder.notificationByteThreshold = .max
        recorder.batchRecordsByteLimit = 0
        #expect(recorder.diskByteLimit >= UInt(Int.max))
    }
}
