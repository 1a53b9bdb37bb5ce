import Dispatch
import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// Records that leave the store while their request is in flight are counted once, by their final outcome.
@Suite(.timeLimit(.minutes(10))) struct RemovedInFlightTests {
    /// Flushes "1", "2", "3" while `meanwhile` runs, and then once more; returns the report of the first flush.
    private func flush(
        failing entry: @escaping @Sendable (String) -> String? = { _ in nil },
        while meanwhile: (PipelineHarness) async throws -> Void,
        afterwards: (PipelineHarness) async throws -> Void = { _ in }
    ) async throws -> (PipelineHarness, FlushReport) {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request, fail: entry)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["1", "2", "3"])
        async let report = harness.flush()
        await server.received(1)
        try await meanwhile(harness)
        gate.open()
        let first = try await report
        try await afterwards(harness)
        let before = try harness.pipeline.totals()
        #expect(before.saved == before.records + before.delivered + before.discarded + before.cleared)
        _ = try await harness.flush()
        let after = try harness.pipeline.totals()
        #expect(after.saved == after.records + after.delivered + after.discarded + after.cleared)
        #expect(after.evicted == before.evicted && after.expired == before.expired)
        return (harness, first)
    }

    @Test func `a record evicted in flight is delivered if the service accepts it, and discarded otherwise`()
        async throws
    {
        let (harness, report) = try await flush(failing: { $0 == "2" ? "InternalFailure" : nil }) { harness in
            let stored = try harness.pipeline.totals().bytes
            harness.pipeline.configure { $0.limits.bytes = stored / 3 }
            try await harness.save("4")
        }
        #expect(report.delivered == 2)
        let totals = try harness.pipeline.totals()
        #expect(totals.delivered == 3 && totals.evicted == 1 && totals.records == 0)
        #expect(harness.events.discards.map(\.count) == [1])
    }

    @Test func `a record that expires in flight and is accepted is delivered`() async throws {
        let (harness, report) = try await flush { harness in
            harness.pipeline.configure { $0.limits.age = .seconds(60) }
            harness.clock.advance(by: 3_600)
            try await harness.save("4")
        }
        #expect(report.delivered == 3)
        let totals = try harness.pipeline.totals()
        #expect(totals.delivered == 4 && totals.discarded == 0)
    }

    @Test func `a record that is cleared in flight and accepted is delivered`() async throws {
        let (harness, report) = try await flush { harness in
            let count = try await harness.clear()
            #expect(count == 3)
        }
        #expect(report.delivered == 3)
        let totals = try harness.pipeline.totals()
        #expect(totals.delivered == 3 && totals.cleared == 0)
    }

    @Test func `a record that is cleared in flight and fails stays cleared`() async throws {
        let (harness, report) = try await flush(failing: { $0 == "2" ? "InternalFailure" : nil }) { harness in
            _ = try await harness.clear()
        }
        #expect(report.delivered == 2)
        let totals = try harness.pipeline.totals()
        #expect(totals.delivered == 2 && totals.cleared == 1 && totals.records == 0)
    }

    @Test func `a record that is removed before its batch is sent is not sent`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, number in
            if number == 1 { gate.wait() }
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) { $0.batchByteLimit = 1 }
        try await harness.saveAll(["1", "2", "3", "4"])
        // The third one is read while the second one is in flight.
        async let report = harness.flush()
        await server.received(2)
        _ = try await harness.clear()
        gate.open()
        #expect(try await report.delivered == 2)
        #expect(server.requests.count == 2)
        let totals = try harness.pipeline.totals()
        #expect(totals.delivered == 2 && totals.cleared == 2)
    }

    // MARK: - what was removed is not sent again

    @Test func `a record that is removed while its request is in flight is not sent again`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request) { $0 == "2" || $0 == "3" ? "InternalFailure" : nil }
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["1", "2", "3"])
        async let report = harness.flush()
        await server.received(1)
        let stored = try harness.pipeline.totals().bytes
        harness.pipeline.configure { $0.limits.bytes = stored * 2 / 3 }
        try await harness.save("4")
        gate.open()
        #expect(try await report.delivered == 1)
        let sent = server.requests.map { ParsedPutRequest($0).texts }
        #expect(
            sent.first == ["1", "2", "3"] && sent.count > 1 && sent.dropFirst().allSatisfy { $0 == ["3"] },
            "\(sent)"
        )
        let totals = try harness.pipeline.totals()
        #expect(totals.delivered == 1 && totals.evicted == 1 && totals.records == 2)
        #expect(harness.events.discards.map(\.count) == [1])
    }

    @Test func `a full store sends while each save discards a record`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server) { $0.limits.bytes = 4_000_000 }
        let text = String(repeating: "x", count: 10_000)
        try await harness.saveAll((0..<500).map { "\($0) \(text)" })
        async let report = harness.flush()
        var saved = 0
        while server.requests.isEmpty, saved < 10_000 {
            try await harness.save("\(saved) \(text)")
            saved += 1
        }
        #expect(saved < 10_000, "nothing was sent while records were saved")
        #expect(try await report.failures.isEmpty)
        let totals = try harness.pipeline.totals()
        #expect(totals.saved == totals.records + totals.delivered + totals.evicted)
        #expect(harness.events.discards.reduce(0) { $0 + $1.count } == totals.evicted)
    }

    // MARK: - what is rolled back

    private func change(_ harness: PipelineHarness, _ sql: String) throws {
        try SQLiteConnection(path: harness.path, access: .readWrite).execute(sql)
    }

    @Test func `a discard whose transaction is rolled back is not reported`() async throws {
        let (harness, report) = try await flush(failing: { _ in "InternalFailure" }) { harness in
            let stored = try harness.pipeline.totals().bytes
            try self.change(
                harness,
                "CREATE TRIGGER t BEFORE UPDATE OF saved ON stream BEGIN SELECT RAISE(ABORT, 'not now'); END"
            )
            harness.pipeline.configure { $0.limits.bytes = stored / 3 }
            await #expect(throws: RecorderError.self) { try await harness.save("4") }
            try self.change(harness, "DROP TRIGGER t")
        }
        #expect(report.delivered == 0)
        let totals = try harness.pipeline.totals()
        #expect(totals.records == 3 && totals.evicted == 0)
        #expect(harness.events.discards.isEmpty)
    }

    @Test func `a record that was accepted is not discarded before that can be settled`() async throws {
        let (harness, report) = try await flush { harness in
            try self.change(
                harness,
                """
                CREATE TRIGGER t BEFORE UPDATE OF delivered ON stream WHEN NEW.delivered > OLD.delivered
                BEGIN SELECT RAISE(ABORT, 'not now'); END
                """
            )
        } afterwards: { harness in
            let stored = try harness.pipeline.totals().bytes
            harness.pipeline.configure { $0.limits.bytes = stored / 3 }
            try await harness.save("4")
            #expect(try harness.pipeline.totals().evicted == 3)
            try self.change(harness, "DROP TRIGGER t")
            #expect(try await harness.flush().delivered == 4)
        }
        #expect(report.delivered == 0)
        let totals = try harness.pipeline.totals()
        #expect(totals.delivered == 4 && totals.evicted == 0)
        #expect(harness.events.discards.isEmpty)
    }

    @Test func `an entry with a record that was removed is sent for its others, and counts for all`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, number in
            if number == 1 { gate.wait() }
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) {
            $0.sharedEntryBytes = 1_000
            $0.batchByteLimit = 1_000
        }
        let text = String(repeating: "x", count: 100)
        try await harness.saveAll((10..<50).map { "\($0) \(text)" })
        let size = try harness.pipeline.totals().bytes / 40
        async let report = harness.flush()
        // The third batch is read while the second one is in flight.
        await server.received(2)
        // All but the first seventeen remain, so a part of the third batch.
        harness.pipeline.configure { $0.limits.bytes = 24 * size }
        try await harness.save("50 \(text)")
        #expect(try harness.pipeline.totals().records == 24)
        gate.open()
        let delivered = try await report.delivered
        let totals = try harness.pipeline.totals()
        #expect(totals.delivered == delivered && totals.records == 1)
        #expect(totals.saved == 1 + totals.delivered + totals.evicted)
        #expect(harness.events.discards.reduce(0) { $0 + $1.count } == totals.evicted)
    }

    @Test(arguments: UInt64(1)...3)
    func `whatever clears, limits and flushes do, each record is counted once`(seed: UInt64) async throws {
        let random = Locked(SeededRandom(seed))
        let arrived = Recorded<String>()
        let server = try LocalServer { request, _ in
            .kinesis(request) { text in
                guard random.withLock({ Int.random(in: 0..<20, using: &$0) }) > 0 else { return "InternalFailure" }
                arrived.append(text)
                return nil
            }
        }
        let harness = try PipelineHarness(to: server) {
            $0.limits.bytes = 20_000
            $0.batchByteLimit = 4_000
        }
        // 10,000 in all.
        let total = 3_350
        var choices = SeededRandom(seed)
        let clears = (0..<total / 50).map { _ in Int.random(in: 0..<6, using: &choices) == 0 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for (round, clears) in clears.enumerated() {
                    try await harness.saveAll((0..<50).map { "record \(round) \($0)" }, to: "s\(round % 3)")
                    if clears { _ = try await harness.clear() }
                }
            }
            group.addTask { for _ in 0..<60 { _ = try await harness.flush() } }
            try await group.waitForAll()
        }
        _ = try await harness.flush()
        await harness.pipeline.limitsEnforced()
        let totals = try harness.pipeline.totals()
        print(
            "seed \(seed): saved \(totals.saved), arrived \(arrived.all.count), delivered \(totals.delivered), evicted "
                + "\(totals.evicted), cleared \(totals.cleared), stored \(totals.records)"
        )
        #expect(totals.saved == total && totals.delivered == arrived.all.count)
        #expect(Set(arrived.all).count == arrived.all.count, "sent twice")
        #expect(totals.saved == totals.records + totals.delivered + totals.evicted + totals.cleared)
        let stored = try harness.storedTexts()
        #expect(totals.records == stored.count && Set(arrived.all).isDisjoint(with: stored))
        #expect(harness.events.discards.reduce(0) { $0 + $1.count } == totals.evicted)
    }

    @Test func `a record evicted by another process counts the same`() async throws {
        let (harness, report) = try await flush { harness in
            let other = try PipelineHarness(in: harness.directory) { $0.limits.bytes = 101 }
            try await other.save("4")
        }
        #expect(report.delivered == 3)
        let totals = try harness.pipeline.totals()
        #expect(totals.delivered == 4 && totals.discarded == 0)
    }

    @Test func `whatever is removed meanwhile, the delivered count equals the records that the service accepted`()
        async throws
    {
        for seed in UInt64(1)...6 {
            let service = EvictingService(seed: seed)
            let server = try LocalServer { request, _ in service.answer(request) }
            let harness = try PipelineHarness(to: server) { $0.limits.bytes = 20_000 }
            service.harness.withLock { $0 = harness }
            defer { service.harness.withLock { $0 = nil } }
            for round in 0..<6 {
                for stream in 0..<3 {
                    try await harness.saveAll((0..<20).map { "\(round) \(stream) \($0)" }, to: "s\(stream)")
                }
                _ = try await harness.flush()
                await harness.pipeline.limitsEnforced()
                let accepted = service.state.withLock { $0.accepted }
                let stored = try harness.storedTexts()
                let totals = try harness.pipeline.totals()
                #expect(Set(accepted).count == accepted.count && Set(accepted).isDisjoint(with: stored), "seed \(seed)")
                #expect(totals.delivered == accepted.count, "seed \(seed), round \(round)")
                #expect(totals.records == stored.count, "seed \(seed), round \(round)")
                #expect(totals.saved == totals.records + totals.delivered + totals.discarded, "seed \(seed)")
                #expect(totals.evicted >= 0 && totals.expired >= 0)
            }
            let totals = try harness.pipeline.totals()
            #expect(totals.evicted > 0 && totals.delivered > 0)
        }
    }
}

/// A service that accepts most records, and saves others during each request, which evict the oldest.
private final class EvictingService: Sendable {
    struct State {
        var random: SeededRandom
        var accepted: [String] = []
        var saved = 0
    }

    let state: Locked<State>
    let harness = Locked<PipelineHarness?>(nil)

    init(seed: UInt64) {
        state = Locked(State(random: SeededRandom(seed)))
    }

    func answer(_ request: ReceivedRequest) -> Reply {
        let (count, first) = state.withLock { state in
            let count = Int.random(in: 0..<60, using: &state.random)
            defer { state.saved += count }
            return (count, state.saved)
        }
        if let harness = harness.withLock({ $0 }) {
            let done = DispatchSemaphore(value: 0)
            for number in first..<first + count {
                let data = Data("meanwhile \(number)".utf8)
                harness.pipeline.save(data, stream: "s\(number % 3)", partitionKey: nil) { _ in done.signal() }
            }
            for _ in 0..<count { done.wait() }
        }
        return state.withLock { state in
            .kinesis(request) { text in
                switch Int.random(in: 0..<12, using: &state.random) {
                case 0: return "InternalFailure"
                case 1: return "InvalidArgumentException"
                default:
                    state.accepted.append(text)
                    return nil
                }
            }
        }
    }
}
