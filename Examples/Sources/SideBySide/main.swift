// The old and the new API in one program and on one stream, as during a migration.
//
//     SideBySide STREAM

// Implicitly unwrapped results are unwrapped with `!`, as in code for the AWS SDK for iOS.
// swift-format-ignore-file: NeverForceUnwrap

import AWSKinesis
import AmplifyFoundation
import AmplifyKinesisClient
import Foundation

/// Credentials from the environment. Both modules have an AWSCredentialsProvider, so its name is qualified.
struct EnvironmentKeys: AmplifyFoundation.AWSCredentialsProvider, AmplifyFoundation.AWSCredentials {
    let accessKeyId = ProcessInfo.processInfo.environment["AWS_ACCESS_KEY_ID"] ?? ""
    let secretAccessKey = ProcessInfo.processInfo.environment["AWS_SECRET_ACCESS_KEY"] ?? ""

    func resolve() async throws -> any AmplifyFoundation.AWSCredentials { self }
}

let streamName = CommandLine.arguments[1]

// Old API: tasks, the default service configuration, a random partition key.
let recorder = AWSKinesisRecorder.default()!
_ = try await recorder.saveRecord(Data("old".utf8), streamName: streamName)!.value
_ = try await recorder.submitAllRecords().value
print("AWSKinesisRecorder: delivered \(recorder.statistics!.delivered)")

// New API: async functions, a configuration of its own, an explicit partition key.
let client = try AmplifyKinesisClient(
    region: "us-east-1",
    credentialsProvider: EnvironmentKeys(),
    options: .init(flushStrategy: .none)
)
try await client.record(data: Data("new".utf8), partitionKey: "key", streamName: streamName)
print("AmplifyKinesisClient: delivered \(try await client.flush().recordsFlushed)")

// Each keeps its own records: the recorder's submit does not send the client's.
try await client.record(data: Data("waits".utf8), partitionKey: "key", streamName: streamName)
_ = try await recorder.submitAllRecords().value
print("left for the next flush: \(try await client.flush().recordsFlushed)")
