// The modern client for Firehose: a backlog, sent in one go.
//
//     AmplifyFirehose STREAM

import AmplifyFirehoseClient
import AmplifyFoundation
import Foundation

/// The keys of the environment; an application has a provider of its own.
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
        // Firehose puts nothing between records: a newline is the writer's to add.
        group.addTask { try await firehose.record(data: Data("line \(number)\n".utf8), streamName: streamName) }
    }
    try await group.waitForAll()
}
// A flush is one batch a stream; a drain is all there is.
print("one flush: \(try await firehose.flush().recordsFlushed)")
print("the rest: \(try await firehose.drain().recordsFlushed)")

do {
    try await firehose.record(data: Data(), streamName: "no/name")
} catch let error as FirehoseError {
    print("refused: \(error.errorDescription)")
}
