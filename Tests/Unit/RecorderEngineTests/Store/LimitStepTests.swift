import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// A limit that discards many records does so in steps, each in a separate transaction.
@Suite struct LimitStepTests {
    private func filled(_ count: Int, in streams: Int = 1, clock: ManualClock = ManualClock()) async throws
        -> PipelineHarness
    {
        let harness = try PipelineHarness(by: clock) { $0.limits.bytes = 0 }
        for number in 0..<count {
            harness.pipeline.save(Data("\(number)".utf8), stream: "s\(number % streams)", partitionKey: "k") { _ in }
        }
        try await harness.save("last", key: "k")
        return harness
    }

    @Test func `a much lower byte limit is enforced in steps`() async throws {
        let harness = try await filled(40_000, in: 7)
        let bytes = try harness.pipeline.totals().bytes
        harness.pipeline.configure { $0.limits.bytes = 100 * 70 }
        try await harness.save("then", key: "k")
        await harness.pipeline.limitsEnforced()
        let totals = try harness.pipeline.totals()
        #expect(harness.events.discards.count > 1, "everything was discarded in one transaction")
        #expect(totals.bytes <= 100 * 70 && totals.bytes > 98 * 70)
        #expect(totals.saved == totals.records + totals.evicted)
        #expect(harness.events.discards.reduce(0) { $0 + $1.count } == totals.evicted)
        #expect(harness.events.discards.reduce(0) { $0 + $1.bytes } + totals.bytes == bytes + "then".count + 65)
        // "last" and "then" are in a stream of their own, and the seven others lose their oldest to the same size.
        let newest = (39_000..<40_000).map(String.init) + ["last", "then"]
        #expect(try harness.storedTexts() == newest.suffix(totals.records))
    }

    @Test func `an age limit that expires everything is enforced in steps, before anything is sent`() async throws {
        let clock = ManualClock()
        let filled = try await filled(40_000, in: 3, clock: clock)
        clock.advance(by: 100)
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: filled.directory, by: clock) { $0.limits.age = .seconds(60) }
        let report = try await harness.flush()
        #expect(report.delivered == 0 && server.requests.isEmpty)
        #expect(harness.events.discards.count > 1, "everything was discarded in one transaction")
        #expect(harness.events.discards.reduce(0) { $0 + $1.count } == 40_001)
        let totals = try harness.pipeline.totals()
        #expect(totals.records == 0 && totals.bytes == 0 && totals.expired == 40_001)
    }

    @Test func `discarding that a released store left incomplete continues at the next save of any process`()
        async throws
    {
        let directory = try await {
            let harness = try await filled(40_000)
            harness.pipeline.configure { $0.limits.bytes = 100 * 70 }
            try await harness.save("then", key: "k")
            return harness.directory
        }()
        let harness = try PipelineHarness(in: directory) { $0.limits.bytes = 100 * 70 }
        try await harness.save("again", key: "k")
        await harness.pipeline.limitsEnforced()
        let totals = try harness.pipeline.totals()
        #expect(totals.bytes <= 100 * 70)
        #expect(totals.saved == totals.records + totals.evicted)
    }

    @Test func `two savers at the limit evict the oldest of both, and every record is counted once`() async throws {
        let first = try PipelineHarness { $0.limits.bytes = 50 * 70 }
        let second = try PipelineHarness(in: first.directory) { $0.limits.bytes = 50 * 70 }
        for number in 0..<400 {
            try await (number % 3 == 0 ? first : second).save("\(number)", to: "s\(number % 5)", key: "k")
        }
        let totals = try first.pipeline.totals()
        #expect(totals.saved == 400 && totals.records + totals.evicted == 400 && totals.bytes <= 50 * 70)
        #expect(try first.storedTexts() == (0..<400).map(String.init).suffix(totals.records))
        let reported = (first.events.discards + second.events.discards).reduce(0) { $0 + $1.count }
        #expect(reported == totals.evicted)
    }

    @Test func `records settled since the oldest were read are not evicted`() async throws {
        let refused = Locked<Set<String>>([])
        let server = try LocalServer { request, _ in
            .kinesis(request) { text in
                refused.withLock { $0.contains(text) } ? "ProvisionedThroughputExceededException" : nil
            }
        }
        let harness = try PipelineHarness(to: server) { $0.limits.bytes = 20 * 70 }
        for number in 0..<40 { try await harness.save("\(number)", to: "s\(number % 2)", key: "k") }
        // Some in the middle stay; those around them are delivered.
        refused.withLock { $0 = ["25", "30", "31"] }
        _ = try await harness.flush()
        #expect(try harness.storedTexts() == ["25", "30", "31"])
        for number in 40..<60 { try await harness.save("\(number)", to: "s\(number % 2)", key: "k") }
        let totals = try harness.pipeline.totals()
        #expect(totals.saved == totals.records + totals.delivered + totals.evicted)
        #expect(try harness.storedTexts() == (["25", "30", "31"] + (40..<60).map(String.init)).suffix(totals.records))
    }
}
