import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderTestSupport
import Testing

/// Stores that earlier versions wrote. `FaultRows.Upgrade` opens them under faults.
@Suite struct OlderFormatTests {
    private func holding(_ store: OlderStore) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try store.write(to: directory.path)
        return directory
    }

    @Test(arguments: OlderStore.allCases)
    func `a store of an older format is counted and delivered as it was`(store: OlderStore) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: try holding(store)) { $0.limits.bytes = 0 }
        let before = try harness.pipeline.totals()
        #expect(before.records == 51 && before.saved == OlderStore.saved && before.delivered == OlderStore.delivered)
        #expect(try harness.pipeline.status().streams.map(\.records) == [40, 8, 3])
        try await harness.save("new", to: "b")
        try await harness.save("new", to: "c")
        #expect(try await harness.flush().delivered == 53)
        let texts = server.requests.flatMap { ParsedPutRequest($0).texts }
        #expect(texts.sorted() == (OlderStore.allWaiting + ["new", "new"]).sorted())
        let ofB = server.requests.map { ParsedPutRequest($0) }.filter { $0.stream == "b" }.flatMap(\.texts)
        #expect(ofB == OlderStore.waiting["b"]! + ["new"])
        #expect(harness.events.rescues.isEmpty)
        let after = try harness.pipeline.totals()
        #expect(after.records == 0 && after.bytes == 0 && after.delivered == 369)
    }

    @Test(arguments: OlderStore.allCases)
    func `records of an older format that fail stay, and the others leave`(store: OlderStore) async throws {
        let server = try LocalServer { request, _ in
            .kinesis(request) { $0.hasSuffix("2") || $0 == "third 335" ? "InternalFailure" : nil }
        }
        let harness = try PipelineHarness(to: server, in: try holding(store)) { $0.limits.bytes = 0 }
        _ = try? await harness.flush()
        let left = OlderStore.allWaiting.filter { $0.hasSuffix("2") || $0 == "third 335" }
        #expect(try harness.storedTexts().sorted() == left.sorted())
        #expect(try harness.pipeline.totals().records == left.count)
    }

    @Test(arguments: OlderStore.allCases)
    func `the byte limit discards the oldest records of an older format first`(store: OlderStore) async throws {
        let harness = try PipelineHarness(in: try holding(store)) { $0.limits.bytes = 2_000 }
        try await harness.save("new")
        await harness.pipeline.limitsEnforced()
        let totals = try harness.pipeline.totals()
        #expect(totals.bytes <= 2_000 && totals.bytes > 1_800)
        #expect(totals.evicted == 52 - totals.records)
        #expect(try harness.storedTexts().suffix(5) == ["fourth 21", "fourth 22", "fourth 23", "fourth 24", "new"])
        #expect(try await harness.clear() == totals.records)
    }

    @Test(arguments: OlderStore.allCases)
    func `a wrong count in a store of an older format is corrected`(store: OlderStore) async throws {
        let directory = try holding(store)
        do {
            let connection = try SQLiteConnection(path: directory.path("kinesis.db"), access: .readWrite)
            try connection.execute("UPDATE stream SET next_sequence = 0 WHERE number = 0")
        }
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: directory) { $0.limits.bytes = 0 }
        try await harness.save("new")
        #expect(try await harness.flush().delivered == 52)
        #expect(harness.events.rescues.isEmpty)
    }

    @Test(arguments: OlderStore.allCases)
    func `a store of an older format that is damaged before its upgrade is rescued`(store: OlderStore) async throws {
        let directory = try holding(store)
        do {
            let connection = try SQLiteConnection(path: directory.path("kinesis.db"), access: .readWrite)
            try connection.execute("DROP TABLE segment")
        }
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: directory) { $0.limits.bytes = 0 }
        try await harness.save("new")
        #expect(try await harness.flush().delivered == 52)
        #expect(harness.events.rescues.map(\.lost) == [0])
        let texts = server.requests.flatMap { ParsedPutRequest($0).texts }
        #expect(texts.sorted() == (OlderStore.allWaiting + ["new"]).sorted())
    }

    @Test(arguments: OlderStore.allCases)
    func `a store of an older format is not upgraded while another program has it open`(store: OlderStore) async throws
    {
        let harness = try PipelineHarness(in: try holding(store)) { $0.limits.bytes = 0 }
        do {
            let other = try SQLiteConnection(path: harness.path, access: .readWrite)
            _ = try other.integer("SELECT count(*) FROM stream")
            for _ in 0..<2 {
                let error = await #expect(throws: RecorderError.self) { try await harness.save("refused") }
                #expect(error?.message.contains("another program has it open") == true)
            }
            #expect(throws: RecorderError.self) { try harness.pipeline.totals() }
            #expect(try other.integer("PRAGMA user_version") == (store == .format1 ? 1 : 2))
            try other.execute("UPDATE stream SET retried = retried + 1 WHERE number = 0")
        }
        try await harness.save("new")
        #expect(try harness.pipeline.totals().records == 52)
        #expect(try harness.storedTexts().sorted() == (OlderStore.allWaiting + ["new"]).sorted())
        #expect(harness.events.rescues.isEmpty)
    }
}
