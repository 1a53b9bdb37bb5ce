// README's second program: the lines of Amplify's documentation.
// swift-format-ignore-file: NeverForceUnwrap

import AmplifyKinesisClient

let kinesis = try AmplifyKinesisClient(region: "us-east-1")
try await kinesis.record(data: "Hello Kinesis".data(using: .utf8)!, partitionKey: "partition-1", streamName: "demo")
let flushResult = try await kinesis.flush()
print("Flushed \(flushResult.recordsFlushed) records")
