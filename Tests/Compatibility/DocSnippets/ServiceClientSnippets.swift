// swift-format-ignore-file
// How published programs call the service clients.
import AWSFirehose
import AWSKinesis
import Testing

enum ServiceClientSnippets {
    static let kinesis = AWSKinesis.default()

    static func withForcedRequest(key: String, text: String) {
        let record = AWSKinesisPutRecordInput()
        record!.streamName = "YourStreamName"
        record!.data = text.data(using: .utf8)
        record!.partitionKey = key
        kinesis.putRecord(record!) { response, error in
            if let error = error {
                print("Error: \(error)")
            } else {
                print("Sent: \(response!)")
            }
        }
    }

    static func withUnwrappedRequest() async throws {
        let request = AWSKinesisPutRecordInput()!
        request.streamName = "YourStreamName"
        request.partitionKey = "key"
        request.data = Data()
        request.sequenceNumberForOrdering = String(1)
        kinesis.putRecord(request).continueWith { (task: AWSTask<AWSKinesisPutRecordOutput>) -> Any? in
            print(task.result?.shardId as Any, task.result?.sequenceNumber as Any, task.error as Any)
            return nil
        }
    }

    static func withOptionalRequest() {
        let request = AWSFirehosePutRecordBatchInput()
        let record = AWSFirehoseRecord()
        record?.data = "Test_data".data(using: .utf8)
        request?.deliveryStreamName = "YourStreamName"
        request?.records = [record!]
        AWSFirehose(forKey: "USEast1Firehose").putRecordBatch(request!).continueOnSuccessWith { task in
            print(task.result?.failedPutCount?.intValue ?? 0)
            return nil
        }
    }

    static func registered() {
        let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil)
        AWSKinesis.register(with: configuration!, forKey: "USEast1Kinesis")
        let kinesis = AWSKinesis(forKey: "USEast1Kinesis")
        let input: AWSKinesisGetShardIteratorInput = AWSKinesisGetShardIteratorInput()
        input.shardIteratorType = .trimHorizon
        kinesis.getShardIterator(input) { (output: AWSKinesisGetShardIteratorOutput?, error: Error?) in
            if let error = error as NSError? {
                if error.domain == AWSKinesisErrorDomain, error.code == AWSKinesisErrorType.resourceNotFound.rawValue {
                    print("There is no such stream")
                }
            }
            _ = output?.shardIterator
        }
        AWSKinesis.remove(forKey: "USEast1Kinesis")
    }

    static func modern() async throws {
        let configuration = try await KinesisClient.KinesisClientConfiguration(region: "us-east-1")
        configuration.endpoint = "http://localhost:4566"
        let client = AWSKinesis.KinesisClient(config: configuration)
        do {
            let output = try await client.putRecord(
                input: AWSKinesis.PutRecordInput(data: Data(), partitionKey: "key", streamName: "YourStreamName")
            )
            print(output.shardId ?? "")
        } catch let error as ResourceNotFoundException {
            print(error.properties.message ?? "")
        } catch let error as AWSServiceError {
            print(error.errorCode ?? "", error.message ?? "")
        }
    }
}
