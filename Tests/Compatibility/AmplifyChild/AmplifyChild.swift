import AmplifyFirehoseClient
import AmplifyFoundation
import AmplifyKinesisClient
import Foundation
import RecorderTestSupport

/// A process that shares a cache with another one: `AmplifyChild <service> <url> <directory> <name> <count>`.
///
/// Records this number of texts with flushes in between, drains the cache and exits. The service `threads` stands for Kinesis
/// while the system gives no thread.
@main
struct AmplifyChild {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let count = Int(arguments[5]) else {
            fatalError("usage: service url directory name count")
        }
        let (url, directory, name) = (arguments[2], URL(fileURLWithPath: arguments[3]), arguments[4])
        if arguments[1] == "threads" {
            try await Task.detached { try await withoutThreads(url, directory) }.value
        } else if arguments[1] == "kinesis" {
            let client = try AmplifyKinesisClient(
                region: "us-east-1",
                credentialsProvider: ChildKeys(),
                options: .init(configureClient: { $0.endpoint = url }, storeDirectory: directory)
            )
            for number in 0..<count {
                let data = Data("\(name)-\(number)".utf8)
                try await client.record(data: data, partitionKey: "key", streamName: "stream-\(number % 3)")
                if number % 50 == 0 { try await client.flush() }
            }
            try await client.drain()
        } else {
            let client = try AmplifyFirehoseClient(
                region: "us-east-1",
                credentialsProvider: ChildKeys(),
                options: .init(configureClient: { $0.endpoint = url }, storeDirectory: directory)
            )
            for number in 0..<count {
                try await client.record(data: Data("\(name)-\(number)".utf8), streamName: "stream-\(number % 3)")
                if number % 50 == 0 { try await client.flush() }
            }
            try await client.drain()
        }
    }
}

extension AmplifyChild {
    /// On a thread of Swift's pool, which stays: what needs a further one there is not the client's.
    private static func withoutThreads(_ url: String, _ directory: URL) async throws {
        let client = try AmplifyKinesisClient(
            region: "us-east-1",
            credentialsProvider: ChildKeys(),
            options: .init(
                flushStrategy: .none,
                configureClient: { $0.endpoint = url },
                storeDirectory: directory
            )
        )
        try await client.record(data: Data("before".utf8), partitionKey: "key", streamName: "stream")
        ThreadLimit.waitForStoreThreads(0)
        ThreadLimit.set(false)
        do {
            try await client.record(data: Data("refused".utf8), partitionKey: "key", streamName: "stream")
        } catch {
            print("record: \(error.localizedDescription)")
        }
        do {
            try await client.flush()
        } catch {
            print("flush: \(error.localizedDescription)")
        }
        ThreadLimit.set(true)
        try await client.record(data: Data("after".utf8), partitionKey: "key", streamName: "stream")
        try await client.drain()
    }
}

private struct ChildKeys: AWSCredentialsProvider, AWSCredentials {
    let accessKeyId = Canary.accessKey
    let secretAccessKey = Canary.secret

    func resolve() async throws -> any AWSCredentials { self }
}
