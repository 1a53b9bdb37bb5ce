// swift-format-ignore-file
// The code of the published documentation, unchanged. The code around it is in main.swift.
import AmplifyFirehoseClient
import AmplifyFoundation
import Foundation

enum FirehoseGuide {
    static func initialize(_ credentialsProvider: any AWSCredentialsProvider) async throws {
let firehose = try AmplifyFirehoseClient(
region: "us-east-1",
credentialsProvider: credentialsProvider
)
        await firehose.disable()
    }

    static func configure(_ credentialsProvider: any AWSCredentialsProvider) async throws {
let firehose = try AmplifyFirehoseClient(
region: "us-east-1",
credentialsProvider: credentialsProvider,
options: .init(
cacheMaxBytes: 10 * 1_024 * 1_024, // 10 MB
maxRetries: 5,
flushStrategy: .interval(30),
configureClient: { config in
// Customize the underlying FirehoseClientConfiguration
}
)
)
        await firehose.disable()
    }

    static func use(_ credentialsProvider: any AWSCredentialsProvider) async throws -> (Int, Int) {
        let firehose = try AmplifyFirehoseClient(
            region: "us-east-1",
            credentialsProvider: credentialsProvider,
options: .init(flushStrategy: .none)
        )
let result = try await firehose.record(
data: "Hello Firehose".data(using: .utf8)!,
streamName: "my-delivery-stream"
)
        _ = result
let flushResult = try await firehose.flush()
print("Flushed \(flushResult.recordsFlushed) records")
        try await firehose.record(data: Data([1]), streamName: "my-delivery-stream")
let cleared = try await firehose.clearCache()
await firehose.disable()
// Records are dropped, auto-flush paused
await firehose.enable()
// Collection and auto-flush resume
let sdkClient = firehose.getFirehoseClient()
// Use sdkClient for direct Firehose API calls
        _ = try await sdkClient.listDeliveryStreams(input: .init())
        return (flushResult.recordsFlushed, cleared.recordsCleared)
    }

    static func handleErrors(_ firehose: AmplifyFirehoseClient, _ payload: Data) async throws {
do {
try await firehose.record(
data: payload,
streamName: "stream"
)
} catch let error as FirehoseError {
switch error {
case .validation(let desc, _, _):
print("Validation error: \(desc)")
case .cacheLimitExceeded:
print("Cache full")
case .cache(let desc, _, _):
print("Storage error: \(desc)")
case .unknown(let desc, _, _):
print("Unknown error: \(desc)")
}
}
    }
}
