import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// Errors fault the task and say what failed and how to fix it; nothing is stored.
@Suite struct BadInputTests {
    @Test func `a record over 256 KiB faults its task at once with dataTooLarge`() throws {
        let kinesis = try Recorders.kinesis()
        let task = try #require(kinesis.saveRecord(Data(count: 262_145), streamName: "stream"))
        #expect(task.isFaulted)
        let error = try #require(task.error as? NSError)
        #expect(error.domain == "com.amazonaws.AWSKinesisRecorderErrorDomain")
        #expect(error.code == AWSKinesisRecorderErrorType.dataTooLarge.rawValue)
        #expect(error.localizedDescription.contains("262145"))
        let firehose = try Recorders.firehose()
        let other = try #require(firehose.saveRecord(Data(count: 262_145), streamName: "stream").error as? NSError)
        #expect(other.domain == "com.amazonaws.AWSFirehoseRecorderErrorDomain")
        #expect(other.code == AWSFirehoseRecorderErrorType.dataTooLarge.rawValue)
        #expect(kinesis.diskBytesUsed == 0 && firehose.diskBytesUsed == 0)
    }

    @Test func `nil data, a nil or malformed stream name and a bad key fault with a message`() async throws {
        let recorder = try Recorders.kinesis()
        let cases: [(AWSTask<AnyObject>?, String)] = [
            (recorder.saveRecord(nil, streamName: "stream"), "data"),
            (recorder.saveRecord(Data([1]), streamName: nil), "stream name"),
            (recorder.saveRecord(Data([1]), streamName: ""), "stream name"),
            (recorder.saveRecord(Data([1]), streamName: "no spaces"), "no spaces"),
            (recorder.saveRecord(Data([1]), streamName: "stream", partitionKey: nil), "partition key"),
            (recorder.saveRecord(Data([1]), streamName: "stream", partitionKey: ""), "partition key"),
        ]
        for (task, word) in cases {
            let error = try #require(await task?.failure())
            #expect(error.domain == AWSKinesisRecorderErrorDomain)
            #expect(error.code == 0)
            #expect(error.localizedDescription.contains(word), "\(error)")
        }
        #expect(recorder.diskBytesUsed == 0)
    }

    @Test func `an endpoint that does not respond faults the submit with the URL error, and keeps the records`()
        async throws
    {
        // Bound for the whole test, so that no other program gets the port and responds.
        let unused = try LocalSocket.loopback()
        let recorder = try Recorders.kinesis(url: "http://\(unused.authority)")
        _ = try await recorder.saveRecord(Data([1]), streamName: "stream").value
        let error = try #require(await recorder.submitAllRecords().failure())
        #expect(error.domain == NSURLErrorDomain)
        #expect(error.code == NSURLErrorCannotConnectToHost)
        #expect(recorder.diskBytesUsed > 0)
        withExtendedLifetime(unused) {}
    }

    @Test func `a service's error keeps its domain and code, and lists every stream with remaining records`()
        async throws
    {
        let server = try LocalServer { _, _ in .error(400, "ResourceNotFoundException", message: "no such stream") }
        let recorder = try Recorders.firehose(url: server.url)
        _ = try await recorder.saveRecord(Data([1]), streamName: "one").value
        _ = try await recorder.saveRecord(Data([1]), streamName: "two").value
        let error = try #require(await recorder.submitAllRecords().failure())
        #expect(error.domain == AWSFirehoseErrorDomain)
        #expect(error.code == AWSFirehoseErrorType.resourceNotFound.rawValue)
        #expect(error.userInfo["__type"] as? String == "ResourceNotFoundException")
        let all = try #require(error.userInfo[AWSRecorderStreamErrorsKey] as? [String: NSError])
        #expect(all.keys.sorted() == ["one", "two"])
    }

    @Test func `a store directory that cannot be created faults the save with a remedy`() async throws {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let file = directory.path("in the way")
            try Data().write(to: URL(fileURLWithPath: file))
            AWSAbstractKinesisRecorder.storeDirectory = URL(fileURLWithPath: "\(file)/store")
            let error = try #require(
                await AWSKinesisRecorder.default().saveRecord(Data([1]), streamName: "s").failure()
            )
            #expect(error.localizedDescription.contains("in the way/store"))
            #expect(error.localizedDescription.contains("AWS_KINESIS_RECORDER_DIR"))
        }
    }

    @Test func `without any configuration saves work, and the submit's error names what to set`() async throws {
        await #expect(processExitsWith: .success) {
            for name in ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_CONFIG_FILE", "HOME"] {
                unsetenv(name)
            }
            let directory = try TemporaryDirectory()
            AWSAbstractKinesisRecorder.storeDirectory = URL(fileURLWithPath: directory.path)
            let recorder = try #require(AWSKinesisRecorder.default())
            _ = try await recorder.saveRecord(Data([1]), streamName: "stream").value
            let error = try #require(await recorder.submitAllRecords().failure())
            #expect(error.localizedDescription.contains("AWS_REGION"))
            #expect(recorder.diskBytesUsed > 0)
        }
    }
}
