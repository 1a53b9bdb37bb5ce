import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct SaveTests {
    private func fault(_ error: RecorderError?) -> RecorderError.Fault? {
        if case .invalidRecord(let fault, _)? = error { fault } else { nil }
    }

    @Test func `saves complete and are stored in the order of the calls`() async throws {
        let harness = try PipelineHarness()
        let order = Locked<[Int]>([])
        for number in 0..<2_000 {
            harness.pipeline.save(Data("\(number)".utf8), stream: "s\(number % 3)", partitionKey: nil) { _ in
                order.withLock { $0.append(number) }
            }
        }
        try await harness.save("2000")
        #expect(order.withLock { $0 } == Array(0..<2_000))
        #expect(try harness.storedTexts() == (0...2_000).map(String.init))
    }

    @Test func `a slow completion delays no commit and no submit, and begins before later completions`()
        async throws
    {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        let gate = Gate()
        let begun = Locked<[String]>([])
        harness.pipeline.save(Data("1".utf8), stream: "s", partitionKey: nil) { _ in
            begun.withLock { $0.append("1") }
            gate.wait()
        }
        harness.pipeline.save(Data("2".utf8), stream: "s", partitionKey: nil) { _ in begun.withLock { $0.append("2") } }
        async let report = harness.flush()
        while try server.requests.isEmpty || harness.records() > 0 { await Task.yield() }
        #expect(server.requests.flatMap { ParsedPutRequest($0).texts } == ["1", "2"])
        gate.open()
        #expect(try await report.delivered == 2)
        #expect(begun.withLock { $0 } == ["1", "2"])
    }

    @Test func `a record without data is refused, and nothing is stored`() async throws {
        let harness = try PipelineHarness()
        let error = await #expect(throws: RecorderError.self) { try await harness.save(nil as Data?) }
        #expect(fault(error) == .noData)
        #expect(try harness.records() == 0)
    }

    @Test func `256 KiB is accepted, and one byte more is refused at once with both sizes in the error`() async throws {
        let harness = try PipelineHarness()
        try await harness.save(Data(count: 262_144))
        let answered = Locked<RecorderError?>(nil)
        harness.pipeline.save(Data(count: 262_145), stream: "s", partitionKey: nil) { result in
            if case .failure(let error) = result { answered.withLock { $0 = error } }
        }
        let error = answered.withLock { $0 }
        #expect(fault(error) == .dataTooLarge)
        #expect(error?.message.contains("262145") == true && error?.message.contains("262144") == true)
        #expect(try harness.records() == 1)
    }

    @Test func `an invalid stream name is refused`() async throws {
        let harness = try PipelineHarness()
        for name in [nil, "", "with space", "slash/", "ünïcode", String(repeating: "a", count: 129)] {
            let error = await #expect(throws: RecorderError.self) { try await harness.save(Data([1]), to: name) }
            #expect(fault(error) == .streamName)
        }
        #expect(try harness.records() == 0)
    }

    @Test func `stream names may be as long as their service allows`() async throws {
        let kinesis = try PipelineHarness(.kinesis)
        try await kinesis.save(Data([1]), to: String(repeating: "a", count: 128))
        let firehose = try PipelineHarness(.firehose)
        try await firehose.save(Data([1]), to: String(repeating: "a", count: 64))
        await #expect(throws: RecorderError.self) {
            try await firehose.save(Data([1]), to: String(repeating: "a", count: 65))
        }
    }

    @Test func `a partition key that the service would refuse is refused`() async throws {
        let harness = try PipelineHarness()
        for key in ["", String(repeating: "k", count: 257)] {
            let error = await #expect(throws: RecorderError.self) { try await harness.save("x", key: key) }
            #expect(fault(error) == .partitionKey)
        }
        #expect(try harness.records() == 0)
    }

    @Test func `a partition key counts Unicode code points, not bytes`() async throws {
        let harness = try PipelineHarness()
        try await harness.save("x", key: String(repeating: "🦆", count: 256))
        #expect(try harness.records() == 1)
    }

}
