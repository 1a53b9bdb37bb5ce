import AWSCore
import Foundation
import RecorderTestSupport

/// A local service with a Kinesis and a Firehose stream of one name, and an empty directory, for one old program.
///
/// Old programs configure the SDK for their whole process, so each runs in a process of its own.
struct Stage {
    let service: MotoServer
    let place: Place
    private let directory: TemporaryDirectory

    init() async throws {
        service = try await MotoServer.shared()
        directory = try TemporaryDirectory()
        place = Place(url: service.url, directory: directory.path, stream: "old-\(UUID().uuidString)")
        try await service.createStream(place.stream)
        try await service.createDeliveryStream(place.stream)
    }

    /// The records that arrived at Kinesis, in order.
    func kinesis() async throws -> [String] {
        try await service.kinesisRecords(place.stream).map(\.text)
    }

    /// What arrived at Firehose.
    func firehose() async throws -> String {
        String(decoding: try await service.firehoseBytes(place.stream), as: UTF8.self)
    }
}

/// What the process of an old program has to know.
struct Place: Codable, Sendable {
    let url: String
    let directory: String
    let stream: String

    /// Makes this process use the service and the directory: the program itself names neither.
    func enter() {
        setenv("AWS_ENDPOINT_URL", url, 1)
        setenv("AWS_KINESIS_RECORDER_DIR", directory, 1)
        setenv("AWS_REGION", "us-east-1", 1)
        setenv("AWS_ACCESS_KEY_ID", Canary.accessKey, 1)
        setenv("AWS_SECRET_ACCESS_KEY", Canary.secret, 1)
    }
}

/// Calls code that takes a completion handler, and returns what it passes to it.
nonisolated(nonsending) func answer<Value>(_ call: (@escaping (Value) -> Void) -> Void) async -> Value {
    let passed: Passed<Value> = await withCheckedContinuation { continuation in
        call { continuation.resume(returning: Passed(value: $0)) }
    }
    return passed.value
}

extension AWSTask {
    /// The task's error, once it has ended; nil if it succeeded.
    func fault() async -> NSError? {
        await failure { try await value } as NSError?
    }
}

/// Safe because the completion handler passes the value on and does not use it again.
private struct Passed<Value>: @unchecked Sendable {
    let value: Value
}
