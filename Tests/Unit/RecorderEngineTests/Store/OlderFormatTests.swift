import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderTestSupport
import Testing

/// Stores that earlier versions wrote: `format2.db` by the tool of the last version with that format, `format1.db` made from it
/// by removing what format 2 added. 300 records of stream a were delivered and 40 saved later; of 24 of stream b those named kept
/// failed and 4 were saved later; all 3 of stream denied failed.
@Suite struct OlderFormatTests {
    static let left =
        (301...340).map { "third \($0)" } + stride(from: 5, through: 20, by: 5).map { "kept \($0)" }
        + (21...24).map { "fourth \($0)" } + ["1", "2", "3"]

    private func fixture(_ name: String) throws -> TemporaryDirectory {
        let file = try #require(Bundle.module.url(forResource: name, withExtension: "db", subdirectory: "Fixtures"))
        let directory = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: file.path, toPath: directory.path("kinesis.db"))
        return directory
    }

    @Test(arguments: ["format1", "format2"])
    func `a store of an older format is counted and delivered as it was`(name: String) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: try fixture(name)) { $0.limits.bytes = 0 }
        let before = try harness.pipeline.totals()
        #expect(before.records == 51 && before.saved == 367 && before.delivered == 316)
        #expect(try harness.pipeline.status().streams.map(\.records) == [40, 8, 3])
        try await harness.save("new", to: "b")
        try await harness.save("new", to: "c")
        #expect(try await harness.flush().delivered == 53)
        let texts = server.requests.flatMap { ParsedPutRequest($0).texts }
        #expect(texts.sorted() == (Self.left + ["new", "new"]).sorted())
        let ofB = server.requests.map { ParsedPutRequest($0) }.filter { $0.stream == "b" }.flatMap(\.texts)
        #expect(ofB == Self.left[40..<48] + ["new"])
        #expect(harness.events.rescues.isEmpty)
        let after = try harness.pipeline.totals()
        #expect(after.records == 0 && after.bytes == 0 && after.delivered == 369)
    }

    @Test(arguments: ["format1", "format2"])
    func `records of an older format that fail stay, and the others leave`(name: String) async throws {
        let server = try LocalServer { request, _ in
            .kinesis(request) { $0.hasSuffix("2") || $0 == "third 335" ? "InternalFailure" : nil }
        }
        let harness = try PipelineHarness(to: server, in: try fixture(name)) { $0.limits.bytes = 0 }
        _ = try? await harness.flush()
        let left = Self.left.filter { $0.hasSuffix("2") || $0 == "third 335" }
        #expect(try harness.storedTexts().sorted() == left.sorted())
        #expect(try harness.pipeline.totals().records == left.count)
    }

    @Test(arguments: ["format1", "format2"])
    func `the byte limit discards the oldest records of an older format first`(name: String) async throws {
        let harness = try PipelineHarness(in: try fixture(name)) { $0.limits.bytes = 2_000 }
        try await harness.save("new")
        await harness.pipeline.limitsEnforced()
        let totals = try harness.pipeline.totals()
        #expect(totals.bytes <= 2_000 && totals.bytes > 1_800)
        #expect(totals.evicted == 52 - totals.records)
        #expect(try harness.storedTexts().suffix(5) == ["fourth 21", "fourth 22", "fourth 23", "fourth 24", "new"])
        #expect(try await harness.clear() == totals.records)
    }

    @Test(arguments: ["format1", "format2"])
    func `a damaged store of an older format is rescued`(name: String) async throws {
        let directory = try fixture(name)
        do {
            let connection = try SQLiteConnection(path: directory.path("kinesis.db"), access: .readWrite)
            try connection.execute("UPDATE stream SET next_sequence = 0 WHERE number = 0")
        }
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server, in: directory) { $0.limits.bytes = 0 }
        try await harness.save("new")
        #expect(try await harness.flush().delivered == 52)
        #expect(harness.events.rescues.map(\.lost) == [0])
    }
}
