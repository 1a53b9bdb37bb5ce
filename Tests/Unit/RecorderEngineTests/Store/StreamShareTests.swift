import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// A dead stream stops itself only.
@Suite struct StreamShareTests {
    // MARK: - decisions

    private func amount(_ bytes: Int) -> RecordAmount { RecordAmount(records: bytes == 0 ? 0 : 1, bytes: bytes) }

    @Test(
        arguments: [
            // bytes of each stream, and the one that loses its oldest record
            ([(1, 100)], 1), ([(1, 100), (2, 101)], 2), ([(1, 90), (2, 10), (3, 1)], 1),
            ([(7, 50), (3, 50), (5, 50)], 3),
        ] as [([(Int64, Int)], Int64)]
    )
    func `the stream that takes the most gives way, of equal ones the first`(uses: [(Int64, Int)], largest: Int64) {
        var shares = StreamShares(Dictionary(uniqueKeysWithValues: uses.map { ($0, amount($1)) }))
        #expect(shares.largest() == largest)
    }

    @Test func `the largest stream is known after any changes`() {
        var random = SeededRandom(39)
        var shares = StreamShares([:])
        var uses: [Int64: Int] = [:]
        for _ in 0..<20_000 {
            let stream = Int64.random(in: 1...40, using: &random)
            let (old, new) = (
                uses[stream] ?? 0,
                Int.random(in: 0...3, using: &random) == 0 ? 0 : Int.random(in: 1...500, using: &random)
            )
            shares.change(
                stream,
                by: RecordAmount(records: (new > 0 ? 1 : 0) - (old > 0 ? 1 : 0), bytes: new - old)
            )
            uses[stream] = new > 0 ? new : nil
            let largest = uses.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
            #expect(shares.largest() == largest)
            #expect(shares.count == uses.count)
        }
    }

    /// A limit of 1,000 bytes.
    @Test(arguments: [
        // added, of the stream, of the store, streams, is stored
        (100, 0, 950, 1, false), (100, 900, 1_000, 1, false),
        // A second stream has a share of 500.
        (100, 0, 1_000, 2, true), (100, 400, 1_400, 2, true), (101, 400, 1_400, 2, false), (1, 500, 1_500, 2, false),
        // A stream without records may store one that is larger than its share.
        (900, 0, 1_000, 2, true), (1_001, 0, 1_000, 2, false), (900, 1, 1_001, 2, false),
        // Never more than twice the limit.
        (200, 0, 1_900, 4, false), (100, 0, 1_900, 4, true), (1, 0, 2_000, 9, false),
    ])
    func `a store that refuses has room for a stream within its share, up to twice its limit`(
        added: Int,
        use: Int,
        stored: Int,
        streams: Int,
        isStored: Bool
    ) {
        var limits = DiskLimits(bytes: 1_000, age: .zero, notificationThreshold: 0)
        limits.overflow = .refuses
        let refusal = limits.refusal(of: amount(added), to: amount(use), beside: amount(stored), streams: streams)
        #expect((refusal == nil) == isStored)
    }

    // MARK: - stores

    @Test func `a recorder's healthy stream loses nothing while a dead one fills the store`() async throws {
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).stream == "dead"
                ? .error(400, "ResourceNotFoundException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) { $0.limits.bytes = 200_000 }
        var delivered = 0
        for round in 0..<20 {
            try await harness.saveAll((0..<400).map { "dead \(round) \($0)" }, to: "dead")
            try await harness.saveAll((0..<200).map { "healthy \(round) \($0)" }, to: "healthy")
            try await harness.saveAll((0..<400).map { "dead again \(round) \($0)" }, to: "dead")
            delivered += try await harness.flush().delivered
        }
        #expect(delivered == 20 * 200)
        #expect(harness.events.discards.allSatisfy { $0.streams.map(\.name) == ["dead"] })
        let totals = try harness.pipeline.totals()
        #expect(totals.evicted > 0 && totals.bytes <= 200_000 && totals.bytes > 150_000)
        // Of the dead one, the newest are left.
        let dead = (0..<20).flatMap { round in
            (0..<400).map { "dead \(round) \($0)" } + (0..<400).map { "dead again \(round) \($0)" }
        }
        #expect(try harness.storedTexts() == dead.suffix(totals.records))
    }

    @Test func `streams that all fill a store end with equal parts of it`() async throws {
        let harness = try PipelineHarness { $0.limits.bytes = 100_000 }
        for round in 0..<60 {
            for (stream, count) in [("a", 1), ("b", 10), ("c", 100)] {
                try await harness.saveAll((0..<count).map { "\(round) \($0)" }, to: stream)
            }
        }
        let streams = try harness.pipeline.status().streams
        let sizes = Dictionary(uniqueKeysWithValues: streams.map { ($0.name.rawValue, $0.bytes) })
        #expect(sizes["a"] == 60 * 104 || (sizes["a"] ?? 0) > 6_000)
        let (b, c) = (sizes["b"] ?? 0, sizes["c"] ?? 0)
        #expect(abs(b - c) < 300, "\(sizes)")
        #expect(try harness.pipeline.totals().bytes > 99_800)
    }

    @Test func `a cache that refuses keeps its room for the streams that are not dead`() async throws {
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).stream == "dead"
                ? .error(400, "ResourceNotFoundException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) { $0 = .amplify(.kinesis, cacheBytes: 10_000, maxRetries: .max) }
        await #expect(throws: RecorderError.self) {
            while true { try await harness.save(Data(count: 99), to: "dead", key: "k") }
        }
        #expect(try harness.records() == 100)
        for _ in 0..<10 {
            for _ in 0..<50 { try await harness.save(Data(count: 99), to: "healthy", key: "k") }
            let error = await #expect(throws: RecorderError.self) {
                try await harness.save(Data(count: 99), to: "healthy", key: "k")
            }
            #expect(error?.message.contains("5000") == true)
            await #expect(throws: RecorderError.self) { try await harness.save(Data(), to: "dead", key: "k") }
            #expect(try await harness.flush().delivered == 50)
        }
        #expect(harness.events.discards.isEmpty)
        #expect(try harness.records() == 100)
    }

    private func fileBytes(of harness: PipelineHarness) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: harness.directory.path).reduce(0) { sum, name in
            let size = try FileManager.default.attributesOfItem(atPath: harness.directory.path(name))[.size] as? Int
            return sum + (size ?? 0)
        }
    }

    @Test(arguments: [DiskLimits.Overflow.evicts, .refuses])
    func `the files stay within the documented size while a dead stream has a record in each part of them`(
        overflow: DiskLimits.Overflow
    ) async throws {
        let isDead = Locked(true)
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).stream == "dead" && isDead.withLock(\.self)
                ? .error(400, "ResourceNotFoundException") : .kinesis(request)
        }
        let limit = 1_024 * 1_024
        let harness = try PipelineHarness(to: server) {
            $0.limits.bytes = limit
            $0.limits.overflow = overflow
        }
        for round in 0..<64 {
            try await harness.save("dead \(round)", to: "dead")
            for _ in 0..<10 { try await harness.save(Data(count: 50_000), to: "healthy") }
            #expect(try await harness.flush().delivered == 10)
            await harness.pipeline.limitsEnforced()
            #expect(try fileBytes(of: harness) <= 2 * limit + 6 * 1_024 * 1_024)
        }
        #expect(harness.events.discards.isEmpty)
        #expect(try harness.storedTexts() == (0..<64).map { "dead \($0)" })
        isDead.withLock { $0 = false }
        #expect(try await harness.flush().delivered == 64)
        let totals = try harness.pipeline.totals()
        #expect(totals.records == 0 && totals.bytes == 0 && totals.saved == totals.delivered)
    }

    @Test func `a stream that takes the most gives way wherever its records are`() async throws {
        let refused = Locked<Set<String>>([])
        let server = try LocalServer { request, _ in
            .kinesis(request) { text in refused.withLock { $0.contains(text) } ? "InternalFailure" : nil }
        }
        let harness = try PipelineHarness(to: server) { $0.limits.bytes = 0 }
        // In several segments, with some records kept behind the cursor.
        for number in 0..<60 {
            try await harness.save(Data("small \(number)".utf8), to: "small", key: "k")
            try await harness.save(
                Data("\(number) \(String(repeating: "x", count: 40_000))".utf8),
                to: "large",
                key: "k"
            )
        }
        let texts = try harness.storedTexts()
        refused.withLock { $0 = Set(texts.filter { $0.hasPrefix("1") || $0.hasPrefix("small") }) }
        _ = try await harness.flush()
        for number in 60..<100 {
            try await harness.save(
                Data("\(number) \(String(repeating: "x", count: 40_000))".utf8),
                to: "large",
                key: "k"
            )
        }
        let before = try harness.storedTexts().filter { !$0.hasPrefix("small") }
        harness.pipeline.configure { $0.limits.bytes = 500_000 }
        try await harness.save("small 60", to: "small", key: "k")
        let stored = try harness.storedTexts()
        #expect(stored.filter { $0.hasPrefix("small") } == (0...60).map { "small \($0)" })
        let large = stored.filter { !$0.hasPrefix("small") }
        #expect(large == before.suffix(large.count) && large.count == 12)
        let totals = try harness.pipeline.totals()
        #expect(totals.records == stored.count && totals.bytes <= 500_000)
        #expect(totals.saved == totals.records + totals.delivered + totals.evicted)
    }
}
