import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct LimitTests {
    @Test func `beyond the byte limit the oldest records of the stream that takes the most are evicted, and reported`()
        async throws
    {
        // Each record takes 1 + 1 + 64 bytes: four fit.
        let harness = try PipelineHarness { $0.limits.bytes = 4 * 66 }
        for (number, stream) in ["a", "b", "a", "b", "b", "c"].enumerated() {
            try await harness.save("\(number)", to: stream, key: "k")
        }
        #expect(try harness.storedTexts() == ["2", "3", "4", "5"])
        try await harness.save("6", to: "c", key: "k")
        #expect(try harness.storedTexts() == ["2", "4", "5", "6"])
        #expect(harness.events.discards.reduce(0) { $0 + $1.count } == 3)
        #expect(harness.events.discards.allSatisfy { $0.reason == .byteLimit })
        #expect(try harness.pipeline.totals().bytes == 4 * 66)
    }

    @Test func `a large record evicts as many small ones as it needs`() async throws {
        let harness = try PipelineHarness { $0.limits.bytes = 10_000 }
        for number in 0..<100 { try await harness.save("\(number)", key: "k") }
        try await harness.save(Data(count: 9_000), key: "k")
        #expect(try harness.pipeline.totals().bytes <= 10_000)
        #expect(try harness.records() > 1)
    }

    @Test func `a limit of zero keeps everything`() async throws {
        let harness = try PipelineHarness { $0.limits.bytes = 0 }
        for _ in 0..<30 { try await harness.save(Data(count: 262_144)) }
        #expect(try harness.records() == 30)
    }

    @Test func `an age limit longer than any time keeps everything`() async throws {
        for seconds in [9_999_999_999_999_999, Int64.max] {
            let harness = try PipelineHarness { $0.limits.age = .seconds(seconds) }
            try await harness.save("1")
            harness.clock.advance(by: 100 * 365 * 86_400)
            try await harness.save("2")
            #expect(try harness.storedTexts() == ["1", "2"])
            let limit = try #require(try harness.pipeline.status().limits?.age)
            #expect(limit > .seconds(100 * 365 * 86_400))
        }
    }

    private let limit = 1_024 * 1_024
    /// The documented size of a store's files: twice the limit, for rows that fill their pages badly, plus the log.
    private var documentedBytes: Int { limit * 2 + 7 * 1_024 * 1_024 }

    private func fileBytes(of harness: PipelineHarness) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: harness.directory.path).reduce(0) { sum, name in
            let size = try FileManager.default.attributesOfItem(atPath: harness.directory.path(name))[.size] as? Int
            return sum + (size ?? 0)
        }
    }

    @Test(arguments: [20, 1_000, 20_000, 262_144])
    func `the files stay within the documented size, however many records pass through`(size: Int) async throws {
        let harness = try PipelineHarness { $0.limits.bytes = limit }
        let record = Data(count: size)
        // Eight times the limit.
        for number in 0..<(8 * limit / (size + 100)) {
            harness.pipeline.save(record, stream: "s\(number % 3)", partitionKey: "key") { _ in }
        }
        try await harness.save(record)
        #expect(try fileBytes(of: harness) <= documentedBytes)
        let totals = try harness.pipeline.totals()
        #expect(totals.bytes <= limit && totals.bytes > limit - size - 100)
    }

    /// Each commit has the largest possible size, which rarely happens on a fast disk. `before` fills the log so far that it is
    /// long when a commit comes that is the last before a checkpoint.
    @Test(arguments: zip([20, 1_000, 2_100, 4_100, 5_000, 20_000, 262_144], [1, 22, 3, 7, 10, 4, 16]))
    func `saves that share large commits stay within the documented size`(size: Int, before: Int) async throws {
        let harness = try PipelineHarness { $0.limits.bytes = limit }
        try await harness.save("first")
        for _ in 0..<before { try await harness.save(Data(count: 160_000)) }
        let lock = open(harness.path + ".lock", O_RDWR)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX) == 0)
        for number in 0..<(16 * limit / (size + 100)) {
            harness.pipeline.save(Data(count: size), stream: "s\(number % 3)", partitionKey: "key") { _ in }
        }
        flock(lock, LOCK_UN)
        try await harness.save("last")
        #expect(try fileBytes(of: harness) <= documentedBytes)
    }

    /// The Amplify clients accept records of up to 10 MiB, each of which the log must hold as a whole.
    @Test(arguments: [1, 4, 10])
    func `records of several megabytes stay within the documented size`(mebibytes: Int) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let limit = 21 * 1_024 * 1_024
        let harness = try PipelineHarness(to: server) { $0 = .amplify(.kinesis, cacheBytes: limit, maxRetries: 5) }
        let record = Data(count: mebibytes * 1_024 * 1_024 - 1)
        for _ in 0..<2 {
            // Delivers one batch, so that later saves reuse free pages and the rest of the log.
            await #expect(throws: RecorderError.self) {
                while true {
                    try await harness.save(record, key: "k")
                    #expect(try fileBytes(of: harness) <= 2 * limit + 14 * 1_024 * 1_024)
                }
            }
            #expect(try await harness.flush().delivered > 0)
            #expect(try fileBytes(of: harness) <= 2 * limit + 14 * 1_024 * 1_024)
        }
    }

    @Test func `space before the records of a stream that was delivered first is released`() async throws {
        let refused = Locked<Set<String>>(["slow"])
        let server = try LocalServer { request, _ in
            refused.withLock { $0.contains(ParsedPutRequest(request).stream) }
                ? .error(400, "ResourceNotFoundException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) { $0.limits.bytes = 0 }
        try await harness.save("first", to: "slow")
        // Segments of half a megabyte: several of the fast stream, with another record of the slow one behind them.
        for _ in 0..<100 { try await harness.save(Data(count: 20_000), to: "fast") }
        try await harness.save("last", to: "slow")
        #expect(try await harness.flush().delivered == 100)
        refused.withLock { $0 = [] }
        #expect(try await harness.flush().delivered == 2)
        // A quarter of a megabyte is the reserve.
        #expect(try fileBytes(of: harness) < 400_000)

        harness.pipeline.configure { $0.limits.bytes = 200_000 }
        for _ in 0..<20 { try await harness.save(Data(count: 20_000), to: "fast") }
        #expect(try harness.pipeline.totals().bytes <= 200_000)
    }

    @Test func `a lower limit applies from the next save on`() async throws {
        let harness = try PipelineHarness()
        for number in 0..<10 { try await harness.save("\(number)", key: "k") }
        harness.pipeline.configure { $0.limits.bytes = 2 * 66 }
        #expect(try harness.records() == 10)
        try await harness.save("x", key: "k")
        #expect(try harness.storedTexts() == ["9", "x"])
    }

    @Test func `records over the age limit expire at the next save`() async throws {
        let harness = try PipelineHarness { $0.limits.age = .seconds(60) }
        try await harness.save("old", to: "a")
        harness.clock.advance(by: 30)
        try await harness.save("younger", to: "b")
        harness.clock.advance(by: 31)
        try await harness.save("new", to: "a")
        #expect(try harness.storedTexts() == ["younger", "new"])
        #expect(harness.events.discards.map(\.reason) == [.ageLimit])
        #expect(harness.events.discards.first?.streams.map(\.rawValue) == ["a"])
    }

    @Test func `a record of exactly the age limit stays, at a save and at a submit, and goes a millisecond later`()
        async throws
    {
        let server = try LocalServer { request, _ in .kinesis(request) { _ in "InternalFailure" } }
        let harness = try PipelineHarness(to: server) { $0.limits.age = .seconds(60) }
        try await harness.save("first")
        harness.clock.advance(by: 60)
        try await harness.save("second")
        #expect(try harness.storedTexts() == ["first", "second"])
        _ = try await harness.flush()
        #expect(try harness.storedTexts() == ["first", "second"])
        harness.clock.advance(by: 0.001)
        try await harness.save("third")
        #expect(try harness.storedTexts() == ["second", "third"])
        harness.clock.advance(by: 60)
        _ = try await harness.flush()
        #expect(try harness.storedTexts() == ["third"])
    }

    @Test func `records over the age limit are not sent`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server) { $0.limits.age = .seconds(60) }
        try await harness.save("old")
        harness.clock.advance(by: 61)
        let report = try await harness.flush()
        #expect(report.delivered == 0)
        #expect(server.requests.isEmpty)
        #expect(try harness.records() == 0)
    }

    @Test func `each save above the threshold is reported before it completes`() async throws {
        let harness = try PipelineHarness { $0.limits.notificationThreshold = 2 * 66 }
        let seen = Locked<[Int]>([])
        for number in 0..<4 {
            harness.pipeline.save(Data("\(number)".utf8), stream: "s", partitionKey: "k") {
                [events = harness.events] _ in
                seen.withLock { $0.append(events.thresholds.count) }
            }
        }
        try await harness.save("4", key: "k")
        #expect(seen.withLock { $0 } == [0, 0, 1, 2])
        #expect(harness.events.thresholds == [3 * 66, 4 * 66, 5 * 66])
    }

    @Test func `if only crossings are reported, the next report follows after usage was below the threshold`()
        async throws
    {
        let harness = try PipelineHarness {
            $0.limits.notificationThreshold = 2 * 66
            $0.limits.reportsCrossingOnly = true
        }
        for number in 0..<5 { try await harness.save("\(number)", key: "k") }
        #expect(harness.events.thresholds == [3 * 66])
        _ = try await harness.clear()
        for number in 0..<5 { try await harness.save("\(number)", key: "k") }
        #expect(harness.events.thresholds == [3 * 66, 3 * 66])
    }

    @Test func `the reported usage includes the save, before records are evicted for it`() async throws {
        let harness = try PipelineHarness {
            $0.limits.bytes = 2 * 66
            $0.limits.notificationThreshold = 2 * 66
        }
        for number in 0..<4 { try await harness.save("\(number)", key: "k") }
        #expect(harness.events.thresholds == [3 * 66, 3 * 66])
    }
}
