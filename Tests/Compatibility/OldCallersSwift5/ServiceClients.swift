// swift-format-ignore-file
// Written after programs of Swift 3 to 5 and SDK 2.5 and later: the service clients.
import AWSFirehose
import AWSKinesis

/// `putRecord` with a completion handler.
public func putOne(_ text: String, stream: String, completion: @escaping (String?, NSError?) -> Void) {
    let request = AWSKinesisPutRecordInput()
    request?.streamName = stream
    request?.partitionKey = UUID().uuidString
    request?.data = text.data(using: .utf8)
    AWSKinesis.default().putRecord(request!) { (response, error) in
        completion(response?.shardId, error as NSError?)
    }
}

/// `putRecords` as a task, with entries that are built in a loop.
public func putMany(_ texts: [String], stream: String) -> AWSTask<AWSKinesisPutRecordsOutput> {
    let input: AWSKinesisPutRecordsInput = AWSKinesisPutRecordsInput()
    input.streamName = stream
    input.records = []
    for (index, text) in texts.enumerated() {
        let entry = AWSKinesisPutRecordsRequestEntry()!
        entry.data = text.data(using: .utf8)
        entry.partitionKey = "key-\(index)"
        input.records?.append(entry)
    }
    return AWSKinesis.default().putRecords(input)
}

/// A reader: an iterator for each shard, then records, as a chain of typed tasks.
public final class StreamReader {
    let kinesis: AWSKinesis

    public init() {
        let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil)
        AWSKinesis.register(with: configuration!, forKey: "reader")
        kinesis = AWSKinesis(forKey: "reader")
    }

    public func read(stream: String, completion: @escaping ([String]) -> Void) {
        let describe = AWSKinesisDescribeStreamInput()!
        describe.streamName = stream
        kinesis.describeStream(describe).continueOnSuccessWith { (task) -> Any? in
            let iterator = AWSKinesisGetShardIteratorInput()!
            iterator.streamName = stream
            iterator.shardId = task.result?.streamDescription?.shards?.first?.shardId
            iterator.shardIteratorType = .trimHorizon
            return self.kinesis.getShardIterator(iterator)
        }.continueOnSuccessWith { (task) -> Any? in
            let output = task.result as? AWSKinesisGetShardIteratorOutput
            let input = AWSKinesisGetRecordsInput()!
            input.shardIterator = output?.shardIterator
            input.limit = 100
            return self.kinesis.getRecords(input)
        }.continueWith { task in
            let records = (task.result as? AWSKinesisGetRecordsOutput)?.records ?? []
            completion(records.compactMap { $0.data.flatMap { String(data: $0, encoding: .utf8) } })
            return nil
        }
    }
}

/// A stream that is created and listed.
public func createAndList(_ name: String, completion: @escaping ([String]) -> Void) {
    let create = AWSKinesisCreateStreamInput()
    create?.streamName = name
    create?.shardCount = NSNumber(value: 1)
    AWSKinesis.default().createStream(create!).continueWith { _ in
        AWSKinesis.default().listStreams(AWSKinesisListStreamsInput()) { output, _ in
            completion(output?.streamNames ?? [])
        }
        return nil
    }
}

/// Firehose's `putRecordBatch`, with the result of each record.
public func putBatch(_ texts: [String], stream: String, completion: @escaping (Int, [String?]) -> Void) {
    let request = AWSFirehosePutRecordBatchInput()!
    request.deliveryStreamName = stream
    request.records = texts.map { text in
        let record = AWSFirehoseRecord()!
        record.data = text.data(using: .utf8)
        return record
    }
    AWSFirehose.default().putRecordBatch(request).continueWith(block: { task -> Any? in
        let failed = task.result?.failedPutCount?.intValue ?? -1
        completion(failed, task.result?.requestResponses?.map { $0.errorCode } ?? [])
        return nil
    })
}

/// Firehose's `putRecord` with a completion handler, on a client under a key.
public func putToFirehose(_ text: String, stream: String, completion: @escaping (Error?) -> Void) {
    AWSFirehose.register(with: AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil), forKey: "one")
    let request = AWSFirehosePutRecordInput()
    let record = AWSFirehoseRecord()
    record?.data = text.data(using: .utf8)
    request?.deliveryStreamName = stream
    request?.record = record
    AWSFirehose(forKey: "one").putRecord(request!, completionHandler: { _, error in
        completion(error)
    })
}

/// A description in a completion handler, whose error a switch of the enumeration reads.
public func describeMissing(_ name: String, completion: @escaping (AWSKinesisErrorType?) -> Void) {
    let request = AWSKinesisDescribeStreamInput()
    request?.streamName = name
    AWSKinesis.default().describeStream(request!) { (output: AWSKinesisDescribeStreamOutput?, error: Error?) in
        guard let error = error as NSError?, error.domain == AWSKinesisErrorDomain else { return completion(nil) }
        completion(AWSKinesisErrorType(rawValue: error.code))
    }
}
