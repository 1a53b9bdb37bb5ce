// The old and the new API in one program, on one stream: how an application moves from one to the other.
//
//     SideBySide STREAM

// What cannot be nil here is unwrapped, as the originals' users do.
// swift-format-ignore-file: NeverForceUnwrap

import AWSKinesis
import AmplifyFoundation
import AmplifyKinesisClient
import Foundation

/// The keys of the environment. Both modules have an AWSCredentialsProvider, so its name is qualified.
struct EnvironmentKeys: AmplifyFoundation.AWSCredentialsProvider, AmplifyFoundation.AWSCredentials {
    let accessKeyId = ProcessInfo.processInfo.environment["AWS_ACCESS_KEY_ID"] ?? ""
    let secretAccessKey = ProcessInfo.processInfo.environment["AWS_SECRET_ACCESS_KEY"] ?? ""

    func resolve() async throws -> any AmplifyFoundation.AWSCredentials { self }
}

let streamName = CommandLine.arguments[1]

// Old: tasks, the configuration of the process, a random partition key.
let recorder = AWSKinesisRecorder.default()!
_ = try await recorder.saveRecord(Data("old".utf8), streamName: streamName)!.value
_ = try await recorder.submitAllRecords().value
print("AWSKinesisRecorder: delivered \(recorder.statistics!.delivered)")

// New: async functions, a configuration of its own, a partition key of yours.
let client = try AmplifyKinesisClient(
    region: "us-east-1",
    credentialsProvider: EnvironmentKeys(),
    options: .init(flushStrategy: .none)
)
try await client.record(data: Data("new".utf8), partitionKey: "key", streamName: streamName)
print("AmplifyKinesisClient: delivered \(try await client.flush().recordsFlushed)")

// Each keeps its own records: a submit of the old one sends nothing of the new one.
try await client.record(data: Data("waits".utf8), partitionKey: "key", streamName: streamName)
_ = try await recorder.submitAllRecords().value
print("left for the next flush: \(try await client.flush().recordsFlushed)")
