import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct SaveManyTests {
    private func numbers(_ count: Int, bytes: Int = 100) -> [Data] {
        (0..<count).map { Data("\($0) ".utf8) + Data(count: bytes) }
    }

    private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

    @Test func `many records are stored in order, each as if saved alone`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let many = try PipelineHarness(to: server) { $0.limits.bytes = 0 }
        let single = try PipelineHarness { $0.limits.bytes = 0 }
        let payloads = numbers(10_000) + [Data(), Data(count: 200_000)]
        try await many.pipeline.save(contentsOf: payloads, stream: "stream", partitionKey: nil)
        for payload in payloads.suffix(2) { try await single.save(payload) }
        #expect(try many.storedTexts() == payloads.map(text))
        let perRecord = try single.pipeline.totals().bytes - payloads.suffix(2).reduce(0) { $0 + $1.count }
        let totals = try many.pipeline.totals()
        #expect(totals.records == payloads.count && totals.saved == payloads.count)
        #expect(totals.bytes == payloads.reduce(0) { $0 + $1.count } + payloads.count * perRecord / 2)
        #expect(try await many.flush().delivered == payloads.count)
        #expect(server.requests.flatMap { ParsedPutRequest($0).texts } == payloads.map(text))
        let keys = server.requests.flatMap { ParsedPutRequest($0).keys }
        #expect(Set(keys).count == payloads.count)
    }

    @Test func `an empty list succeeds and stores nothing`() async throws {
        let harness = try PipelineHarness()
        try await harness.pipeline.save(contentsOf: [], stream: "stream", partitionKey: nil)
        #expect(try harness.records() == 0)
    }

    @Test func `if one of many records is invalid, none is stored`() async throws {
        let harness = try PipelineHarness { $0.maximumRecordBytes = 1_000 }
        for stream in ["stream", "no stream"] {
            let payloads = numbers(5_000) + [Data(count: stream == "stream" ? 1_001 : 1)]
            await #expect(throws: RecorderError.self) {
                try await harness.pipeline.save(contentsOf: payloads, stream: stream, partitionKey: nil)
            }
        }
        #expect(try harness.records() == 0)
    }

    @Test func `the error of a too large record names its place among the others`() async throws {
        let harness = try PipelineHarness { $0.maximumRecordBytes = 1_000 }
        let payloads = numbers(5_000) + [Data(count: 1_001)] + numbers(9) + [Data(count: 2_000)]
        let error = await #expect(throws: RecorderError.self) {
            try await harness.pipeline.save(contentsOf: payloads, stream: "stream", partitionKey: nil)
        }
        #expect(error?.message == "Record 5001 of 5011 is 1001 bytes; the limit is 1000. Split it or compress it.")
    }

    @Test func `an appended newline does not count against the limit of a record, as if saved alone`() async throws {
        let harness = try PipelineHarness(.firehose) {
            $0.delimiter = 10
            $0.maximumRecordBytes = 3
        }
        try await harness.save(Data("one".utf8))
        try await harness.pipeline.save(contentsOf: [Data("two".utf8)], stream: "stream", partitionKey: nil)
        #expect(try harness.storedTexts() == ["one\n", "two\n"])
    }

    @Test func `a store that refuses records when it is full keeps the first of many, and says how many`() async throws
    {
        let harness = try PipelineHarness {
            $0.limits.bytes = 1_000_000
            $0.limits.overflow = .refusesByContent
        }
        let error = await #expect(throws: RecorderError.self) {
            try await harness.pipeline.save(contentsOf: numbers(20_000), stream: "stream", partitionKey: "k")
        }
        let stored = try harness.records()
        #expect(stored > 1_000 && stored < 10_000)
        #expect(error?.message.contains("The first \(stored) of 20000 records were saved.") == true)
        #expect(try harness.storedTexts() == numbers(stored).map(text))
    }

    @Test func `the byte limit keeps the newest of many records`() async throws {
        let harness = try PipelineHarness { $0.limits.bytes = 100_000 }
        try await harness.pipeline.save(contentsOf: numbers(30_000), stream: "stream", partitionKey: "k")
        await harness.pipeline.limitsEnforced()
        let totals = try harness.pipeline.totals()
        #expect(totals.bytes <= 100_000 && totals.bytes > 99_000)
        #expect(totals.evicted == 30_000 - totals.records)
        #expect(try harness.storedTexts() == numbers(30_000).suffix(totals.records).map(text))
    }

    @Test func `Firehose records saved together end with the newline, too`() async throws {
        let harness = try PipelineHarness(.firehose) { $0.delimiter = 10 }
        try await harness.pipeline.save(contentsOf: [Data("a".utf8), Data("b\n".utf8)], stream: "s", partitionKey: nil)
        #expect(try harness.storedTexts() == ["a\n", "b\n"])
    }
}
