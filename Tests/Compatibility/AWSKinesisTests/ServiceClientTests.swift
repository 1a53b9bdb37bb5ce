import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// `AWSKinesis` and `AWSFirehose` as code for the AWS SDK for iOS uses them.
@Suite(.timeLimit(.minutes(10))) struct ServiceClientTests {
    private static func kinesis(endpoint url: String, maxRetryCount: UInt32 = 0) throws -> AWSKinesis {
        let configuration = try Recorders.configuration(url)
        configuration.maxRetryCount = maxRetryCount
        AWSKinesis.register(with: configuration, forKey: url)
        return AWSKinesis(forKey: url)
    }

    /// Polls until the stream is active.
    private static func waitUntilActive(_ kinesis: AWSKinesis, stream: String) -> AWSTask<AnyObject> {
        let request: AWSKinesisDescribeStreamInput = AWSKinesisDescribeStreamInput()
        request.streamName = stream
        return kinesis.describeStream(request).continueOnSuccessWith { task -> Any? in
            if task.result?.streamDescription?.streamStatus == .active { return task.result?.streamDescription }
            return AWSTask<AnyObject>(delay: 20).continueWith { _ in waitUntilActive(kinesis, stream: stream) }
        }
    }

    private static func iterator(_ kinesis: AWSKinesis, stream: String, shard: String?) -> AWSTask<AnyObject> {
        let request: AWSKinesisGetShardIteratorInput = AWSKinesisGetShardIteratorInput()
        request.streamName = stream
        request.shardId = shard
        request.shardIteratorType = .trimHorizon
        return kinesis.getShardIterator(request).continueOnSuccessWith { $0.result?.shardIterator }
    }

    @Test func `blocks of many calls may wait for other calls`() async throws {
        let server = try LocalServer { _, _ in .json(200, #"{"StreamNames":[],"HasMoreStreams":false}"#) }
        let kinesis = try Self.kinesis(endpoint: server.url)
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let tasks = (0..<count).map { _ in
            kinesis.listStreams(AWSKinesisListStreamsInput()).continueWith { _ -> Any? in
                kinesis.listStreams(AWSKinesisListStreamsInput()).waitUntilFinished()
                return nil
            }
        }
        for task in tasks { _ = try await task.value }
        #expect(server.requests.count == 2 * count)
    }

    @Test func `a request that is used again keeps no call that has ended`() async throws {
        let server = try LocalServer { _, _ in .json(200, #"{"StreamNames":[],"HasMoreStreams":false}"#) }
        let kinesis = try Self.kinesis(endpoint: server.url)
        let input = AWSKinesisListStreamsInput()!
        for _ in 0..<100 { _ = try await kinesis.listStreams(input).value }
        #expect(input.runningCalls < 50)
    }

    @Test func `of 1,234 records saved for a new stream, 1,234 are returned`() async throws {
        let moto = try await MotoServer.shared()
        let kinesis = try Self.kinesis(endpoint: moto.url)
        let recorder = try Recorders.kinesis(url: moto.url)
        let create = AWSKinesisCreateStreamInput()!
        create.streamName = "scenario"
        create.shardCount = 1
        let end = kinesis.createStream(create).continueOnSuccessWith { _ in
            Self.waitUntilActive(kinesis, stream: "scenario")
        }.continueOnSuccessWith { _ -> Any? in
            let saves = (0..<1234).compactMap {
                recorder.saveRecord(Data(String(format: "record-%04d", $0).utf8), streamName: "scenario")
            }
            return AWSTask(forCompletionOfAllTasks: saves)
        }.continueOnSuccessWith { _ in
            recorder.submitAllRecords()
        }.continueOnSuccessWith { _ in
            Self.waitUntilActive(kinesis, stream: "scenario")
        }.continueOnSuccessWith { task in
            Self.iterator(
                kinesis,
                stream: "scenario",
                shard: (task.result as? AWSKinesisStreamDescription)?.shards?.first?.shardId
            )
        }.continueOnSuccessWith { task -> Any? in
            let request = AWSKinesisGetRecordsInput()!
            request.shardIterator = task.result as? String
            return kinesis.getRecords(request)
        }
        let output = try #require(try await end.value as? AWSKinesisGetRecordsOutput)
        let texts = try #require(output.records).map { String(decoding: $0.data ?? Data(), as: UTF8.self) }
        #expect(texts == (0..<1234).map { String(format: "record-%04d", $0) })
        #expect(output.records?.first?.approximateArrivalTimestamp != nil)
        #expect(output.millisBehindLatest == 0)
    }

    @Test func `a completion handler receives the output, or the service's error with its code`() async throws {
        let moto = try await MotoServer.shared()
        // The service is busy with other tests.
        let kinesis = try Self.kinesis(endpoint: moto.url, maxRetryCount: 3)
        let request = AWSKinesisDescribeStreamInput()
        request?.streamName = "no-such-stream"
        let error = await withCheckedContinuation { continuation in
            kinesis.describeStream(request!) { output, error in
                #expect(output == nil)
                continuation.resume(returning: error.map { $0 as NSError })
            }
        }
        #expect(error?.domain == AWSKinesisErrorDomain)
        #expect(error?.code == AWSKinesisErrorType.resourceNotFound.rawValue)
        let list = AWSKinesisListStreamsInput()!
        let names = await withCheckedContinuation { continuation in
            kinesis.listStreams(list) { output, error in
                #expect(error == nil)
                continuation.resume(returning: output?.streamNames)
            }
        }
        #expect(names != nil)
    }

    @Test func `a key returns the registered client itself, until it is removed`() async throws {
        AWSFirehose.register(with: try Recorders.configuration("http://127.0.0.1:1"), forKey: "one")
        let one = AWSFirehose(forKey: "one")
        #expect(one === AWSFirehose(forKey: "one"))
        #expect(one.configuration?.regionType == .USEast1)
        AWSFirehose.remove(forKey: "one")
        #expect(one !== AWSFirehose(forKey: "one"))
        #expect(AWSFirehose.default() === AWSFirehose.default())
        let error = await AWSFirehose(forKey: "one").listDeliveryStreams(AWSFirehoseListDeliveryStreamsInput()!)
            .failure()
        #expect(error?.localizedDescription.contains("register(with:forKey:)") == true)
    }

    @Test func `an unlisted enumeration value is read as unknown, and unknown is not sent`() async throws {
        let answer = #"{"StreamDescription":{"StreamStatus":"dreaming","EncryptionType":"kms","HasMoreShards":false}}"#
        let server = try LocalServer { _, _ in .json(200, answer) }
        let kinesis = try Self.kinesis(endpoint: server.url)
        let description = try await kinesis.describeStream(AWSKinesisDescribeStreamInput()!).value?.streamDescription
        #expect(description?.streamStatus == .unknown)
        #expect(description?.encryptionType == .kms)
        #expect(description?.hasMoreShards == false)
        let stop = AWSKinesisStopStreamEncryptionInput()!
        stop.streamName = "s"
        _ = try await kinesis.stopStreamEncryption(stop).value
        #expect(server.requests.last?.text == #"{"StreamName":"s"}"#)
    }

    @Test func `an awaited operation returns its output, and throws the error that its task has`() async throws {
        let server = try LocalServer { request, _ in
            guard request.text.contains("missing") else {
                return .json(200, #"{"ShardId":"s-1","SequenceNumber":"7"}"#)
            }
            return .error(400, "ResourceNotFoundException", message: "no such stream")
        }
        let kinesis = try Self.kinesis(endpoint: server.url)
        let request = AWSKinesisPutRecordInput()!
        request.streamName = "stream"
        let output = try await kinesis.putRecord(request)
        #expect(output.shardId == "s-1" && output.sequenceNumber == "7")
        let deletion = AWSKinesisDeleteStreamInput()!
        deletion.streamName = "stream"
        try await kinesis.deleteStream(deletion)
        request.streamName = "missing"
        let error = await failure { try await kinesis.putRecord(request) } as NSError?
        #expect(error?.domain == AWSKinesisErrorDomain)
        #expect(error?.code == AWSKinesisErrorType.resourceNotFound.rawValue)
        deletion.streamName = "missing"
        let other = await failure { try await kinesis.deleteStream(deletion) } as NSError?
        #expect(other?.code == AWSKinesisErrorType.resourceNotFound.rawValue)
    }

    @Test func `a cancelled request ends its calls, later ones too`() async throws {
        let server = try LocalServer { _, _ in .stall }
        let kinesis = try Self.kinesis(endpoint: server.url)
        let request = AWSKinesisListStreamsInput()!
        let call: AWSTask = kinesis.listStreams(request)
        await server.received(1)
        request.cancel()
        #expect(request.isCancelled)
        let later: AWSTask = kinesis.listStreams(request)
        for task in [call, later] {
            let error = await task.failure()
            #expect(error?.domain == NSURLErrorDomain)
            #expect(error?.code == NSURLErrorCancelled)
        }
    }

    @Test func `a request may be changed and used again while its call runs`() async throws {
        let server = try LocalServer { _, _ in .json(200, "{}") }
        let kinesis = try Self.kinesis(endpoint: server.url)
        let request = AWSKinesisPutRecordInput()!
        var tasks: [AWSTask<AWSKinesisPutRecordOutput>] = []
        for key in ["a", "b", "c"] {
            request.partitionKey = key
            tasks.append(kinesis.putRecord(request))
        }
        for task in tasks { _ = try await task.value }
        let bodies = Set(server.requests.map(\.text))
        #expect(bodies == Set(["a", "b", "c"].map { #"{"PartitionKey":"\#($0)"}"# }))
    }

    @Test func `the module's names resolve though a class has the module's name`() {
        #expect(AWSKinesis.KinesisClient.self == KinesisClient.self)
        #expect(AWSKinesis.KinesisClientTypes.self == KinesisClientTypes.self)
        let input = PutRecordInput(data: Data("x".utf8), partitionKey: "p", streamName: "s")
        #expect(input == AWSKinesis.PutRecordInput(data: Data("x".utf8), partitionKey: "p", streamName: "s"))
    }
}
