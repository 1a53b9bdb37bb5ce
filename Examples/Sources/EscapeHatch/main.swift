// All other operations of the service: the service client of an Amplify client, with its configuration and credentials.
//
//     EscapeHatch STREAM

import AmplifyFoundation
import AmplifyKinesisClient
import Foundation

/// Credentials from the environment; an application uses its own provider.
struct EnvironmentKeys: AWSCredentialsProvider, AWSCredentials {
    let accessKeyId = ProcessInfo.processInfo.environment["AWS_ACCESS_KEY_ID"] ?? ""
    let secretAccessKey = ProcessInfo.processInfo.environment["AWS_SECRET_ACCESS_KEY"] ?? ""

    func resolve() async throws -> any AWSCredentials { self }
}

let streamName = CommandLine.arguments[1]
let kinesis = try AmplifyKinesisClient(region: "us-east-1", credentialsProvider: EnvironmentKeys())
let client = kinesis.getKinesisClient()

let summary = try await client.describeStreamSummary(input: .init(streamName: streamName))
print("\(streamName): \(summary.streamDescriptionSummary?.openShardCount ?? 0) shards")

do {
    _ = try await client.describeStreamSummary(input: .init(streamName: "no-such-stream"))
} catch is ResourceNotFoundException {
    print("no-such-stream: not found")
}
await kinesis.disable()
