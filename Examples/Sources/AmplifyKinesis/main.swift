// The async client: record, flush, and events.
//
//     AmplifyKinesis STREAM

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
let kinesis = try AmplifyKinesisClient(
    region: "us-east-1",
    credentialsProvider: EnvironmentKeys(),
    // By default the client flushes every 30 seconds.
    options: .init(cacheMaxBytes: 100, flushStrategy: .none)
)
let events = kinesis.events()

for number in 1...3 {
    try await kinesis.record(data: Data("reading \(number)".utf8), partitionKey: "sensor1", streamName: streamName)
}

// The cache refuses records that do not fit; it never evicts older ones.
do {
    try await kinesis.record(data: Data(count: 100), partitionKey: "sensor1", streamName: streamName)
} catch KinesisError.cacheLimitExceeded {
    print("the fourth record does not fit")
}

print("flushed \(try await kinesis.flush().recordsFlushed)")
for await case .delivered(let records, let name) in events {
    print("event: \(records) delivered to \(name)")
    break
}

// A disabled client ignores records.
await kinesis.disable()
try await kinesis.record(data: Data("dropped".utf8), partitionKey: "sensor1", streamName: streamName)
await kinesis.enable()
print("cleared \(try await kinesis.clearCache().recordsCleared)")
