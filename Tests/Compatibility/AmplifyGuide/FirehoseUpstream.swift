// swift-format-ignore-file
// Code in the form of Amplify's own tests, with their imports.
import AmplifyFirehoseClient
import AmplifyFoundation
import AmplifyFoundationBridge
import AWSFirehose
import Foundation
import SmithyHTTPAPI
import SmithyIdentity
import SmithyRetries
import SmithyRetriesAPI

struct FirehoseKeys: AWSCredentials {
    let accessKeyId = "AKIDEXAMPLE"
    let secretAccessKey = "secret"
}

struct FirehoseKeysProvider: AWSCredentialsProvider {
    func resolve() async throws -> any AWSCredentials { FirehoseKeys() }
}

enum FirehoseUpstream {
    /// What does not hold.
    static func run() async throws -> [String] {
        let resolver: any AWSCredentialIdentityResolver = FoundationToSDKCredentialsAdapter(provider: FirehoseKeysProvider())
        let client = try AmplifyFirehoseClient(
            region: "us-east-1",
            credentialsProvider: SDKToFoundationCredentialsAdapter(resolver: resolver),
            options: AmplifyFirehoseClient.Options(
                maxRetries: 3,
                flushStrategy: .none,
                configureClient: { config in
                    config.retryStrategyOptions = RetryStrategyOptions(
                        backoffStrategy: ExponentialBackoffStrategy(),
                        maxRetriesBase: 10
                    )
                    config.httpClientEngine = UserAgentClientEngine(target: config.httpClientEngine)
                }
            )
        )
        let firehose: AWSFirehose.FirehoseClient = client.getFirehoseClient()
        let streams = try await firehose.listDeliveryStreams(input: ListDeliveryStreamsInput()).deliveryStreamNames
        let record = FirehoseClientTypes.Record(data: "test".data(using: .utf8)!)
        let request = PutRecordBatchInput(deliveryStreamName: "missing", records: [record])
        do {
            _ = try await firehose.putRecordBatch(input: request)
            return ["a missing stream"]
        } catch is ResourceNotFoundException {
            return streams == ["my-delivery-stream"] && firehose.config.retryStrategyOptions.maxRetriesBase == 10
                ? [] : ["configureClient"]
        }
    }
}
