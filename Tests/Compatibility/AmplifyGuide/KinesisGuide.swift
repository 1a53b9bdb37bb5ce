// swift-format-ignore-file
// The code of the published documentation, unchanged. The code around it is in main.swift.
import AmplifyFoundation
import AmplifyKinesisClient
import Foundation

enum KinesisGuide {
    static func initialize(_ credentialsProvider: any AWSCredentialsProvider) async throws {
let kinesis = try AmplifyKinesisClient(
region: "us-east-1",
credentialsProvider: credentialsProvider
)
        await kinesis.disable()
    }

    static func configure(_ credentialsProvider: any AWSCredentialsProvider) async throws {
let kinesis = try AmplifyKinesisClient(
region: "us-east-1",
credentialsProvider: credentialsProvider,
options: .init(
cacheMaxBytes: 10 * 1_024 * 1_024, // 10 MB
maxRetries: 3,
flushStrategy: .interval(60),
configureClient: { config in
// Customize the underlying KinesisClientConfiguration
}
)
)
        await kinesis.disable()
    }

    static func use(_ credentialsProvider: any AWSCredentialsProvider) async throws -> (Int, Int) {
        let kinesis = try AmplifyKinesisClient(
            region: "us-east-1",
            credentialsProvider: credentialsProvider,
options: .init(flushStrategy: .none)
        )
let result = try await kinesis.record(
data: "Hello Kinesis".data(using: .utf8)!,
partitionKey: "partition-1",
streamName: "my-stream"
)
        _ = result
let flushResult = try await kinesis.flush()
print("Flushed \(flushResult.recordsFlushed) records")
        try await kinesis.record(data: Data([1]), partitionKey: "partition-1", streamName: "my-stream")
let cleared = try await kinesis.clearCache()
await kinesis.disable()
// Records are dropped, auto-flush paused
await kinesis.enable()
// Collection and auto-flush resume
let sdkClient = kinesis.getKinesisClient()
// Use sdkClient for direct Kinesis API calls
        _ = try await sdkClient.listStreams(input: .init())
        return (flushResult.recordsFlushed, cleared.recordsCleared)
    }

    static func handleErrors(_ kinesis: AmplifyKinesisClient, _ payload: Data) async throws {
do {
try await kinesis.record(
data: payload,
partitionKey: "key",
streamName: "stream"
)
} catch let error as KinesisError {
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
