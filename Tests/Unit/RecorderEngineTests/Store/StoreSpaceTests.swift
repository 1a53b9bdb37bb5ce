import Foundation
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct StoreSpaceTests {
    @Test func `a long drain keeps reusing a short log`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { $0 == "kept" ? "InternalFailure" : nil } }
        // One record per batch.
        let harness = try PipelineHarness(to: server) { $0.batchByteLimit = 1 }
        try await harness.saveAll((0..<400).map { "\($0)" })
        try await harness.save("kept")
        _ = try? await harness.flush()
        #expect(try harness.storedTexts() == ["kept"])
        let log = try FileManager.default.attributesOfItem(atPath: "\(harness.path)-wal")[.size] as? Int
        #expect(try #require(log) < 150 * 4_096)
    }

    @Test func `tables of delivered records are dropped when a new one is created, and when the store is empty`()
        async throws
    {
        let server = try LocalServer { request, _ in .kinesis(request, fail: { $0 == "kept" ? "InternalFailure" : nil })
        }
        let harness = try PipelineHarness(to: server) { $0.limits.bytes = 0 }
        func tables() throws -> (segments: Int64?, all: Int64?) {
            let connection = try SQLiteConnection(path: harness.path, access: .readOnly)
            return (
                try connection.integer("SELECT count(*) FROM segment"),
                try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'block_*'")
            )
        }
        for _ in 0..<20 { try await harness.save(Data(count: 100_000)) }
        #expect(try tables() == (4, 4))
        try await harness.save("kept")
        _ = try? await harness.flush()
        #expect(try harness.storedTexts() == ["kept"])
        #expect(try tables().segments == 1)
        for _ in 0..<6 { try await harness.save(Data(count: 100_000)) }
        #expect(try tables() == (2, 2))
        #expect(try await harness.clear() == 7)
        #expect(try tables() == (0, 0))
    }
}
