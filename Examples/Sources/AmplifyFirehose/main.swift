// The async client for Firehose: a backlog, sent by one drain.
//
//     AmplifyFirehose STREAM

import AmplifyFirehoseClient
import AmplifyFoundation
import Foundation

/// Credentials from the environment; an application uses its own provider.
struct EnvironmentKeys: AWSCredentialsProvider, AWSCredentials {
    let accessKeyId = ProcessInfo.processInfo.environment["AWS_ACCESS_KEY_ID"] ?? ""
    let secretAccessKey = ProcessInfo.processInfo.environment["AWS_SECRET_ACCESS_KEY"] ?? ""

    func resolve() async throws -> any AWSCredentials { self }
}

let streamName = CommandLine.arguments[1]
let firehose = try AmplifyFirehoseClient(
    region: "us-east-1",
    credentialsProvider: EnvironmentKeys(),
    options: .init(flushStrategy: .none)
)

try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<1_200 {
        // Firehose concatenates records without a delimiter, so the writer adds the newline.
        group.addTask { try await firehose.record(data: Data("line \(number)\n".utf8), streamName: streamName) }
    }
    try await group.waitForAll()
}
// A flush sends one batch of each stream; a drain sends everything.
print("one flush: \(try await firehose.flush().recordsFlushed)")
print("the rest: \(try await firehose.drain().recordsFlushed)")

do {
    try await firehose.record(data: Data(), streamName: "no/name")
} catch let error as FirehoseError {
    print("refused: \(error.errorDescription)")
}
