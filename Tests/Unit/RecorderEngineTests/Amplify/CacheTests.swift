import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// A store that refuses records it has no room for, as the Amplify clients' cache does.
@Suite struct CacheTests {
    @Test func `a full store refuses a save, keeps its records, and counts only payloads and keys`() async throws {
        let harness = try PipelineHarness(amplify: .kinesis, cacheBytes: 100)
        try await harness.save(Data(count: 45), key: "12345")
        try await harness.save(Data(count: 45), key: "12345")
        let error = await #expect(throws: RecorderError.self) { try await harness.save(Data(), key: "1") }
        guard case .storeFull? = error else {
            Issue.record("not refused as full: \(String(describing: error))")
            return
        }
        #expect(error?.message == "The record takes 1 bytes; 0 of the store's 100 are free.")
        #expect(try harness.records() == 2)
        #expect(harness.events.discards.isEmpty)
    }

    @Test func `a save may use the room that earlier saves of the same commit left`() async throws {
        let harness = try PipelineHarness(amplify: .firehose, cacheBytes: 100)
        let answers = Recorded<String>()
        await withCheckedContinuation { continuation in
            for size in [60, 60, 40, 1] {
                harness.pipeline.save(Data(count: size), stream: "stream", partitionKey: nil) { result in
                    let isStored = if case .success = result { true } else { false }
                    if answers.append("\(size) \(isStored)") == 3 { continuation.resume() }
                }
            }
        }
        #expect(answers.all == ["60 true", "60 false", "40 true", "1 false"])
    }

    @Test func `two clients of a store share its limit`() async throws {
        let one = try PipelineHarness(amplify: .kinesis, cacheBytes: 100)
        let other = try PipelineHarness(amplify: .kinesis, cacheBytes: 100, in: one.directory)
        try await one.save(Data(count: 60), key: "k")
        try await other.save(Data(count: 30), key: "k")
        await #expect(throws: RecorderError.self) { try await one.save(Data(count: 30), key: "k") }
        _ = try await other.clear()
        try await one.save(Data(count: 60), key: "k")
    }

    @Test(arguments: [
        (StreamServiceDescription.kinesis, 10 * 1_024 * 1_024 - 3, true), (.kinesis, 10 * 1_024 * 1_024 - 2, false),
        (.firehose, 1_024_000, true), (.firehose, 1_024_001, false),
    ])
    func `a record may have 10 MiB including its key for Kinesis, and 1,000 KiB for Firehose`(
        service: StreamServiceDescription,
        size: Int,
        isAllowed: Bool
    ) async throws {
        let harness = try PipelineHarness(amplify: service, cacheBytes: 20 * 1_024 * 1_024)
        if isAllowed {
            try await harness.save(Data(count: size), key: "abc")
        } else {
            let error = await #expect(throws: RecorderError.self) {
                try await harness.save(Data(count: size), key: "abc")
            }
            guard case .invalidRecord(.dataTooLarge, let text)? = error else {
                Issue.record("not refused as too large: \(String(describing: error))")
                return
            }
            #expect(text.contains("\(service.maximumRecordBytes)"))
        }
        #expect(try harness.records() == (isAllowed ? 1 : 0))
    }
}
