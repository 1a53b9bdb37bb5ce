import Foundation
import RecordFormats
import RecorderAWS
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// What a store says about its records without a key, for the audit.
@Suite struct NumberingTests {
    /// The ordinals that a stream holds, under any store.
    private func held(_ harness: PipelineHarness, _ stream: String = "stream") throws -> [ClosedRange<Int64>] {
        let found = try #require(try numbering(harness).streams.first { $0.name.rawValue == stream })
        return OrdinalRanges(found.held.values.flatMap(\.ranges)).ranges
    }

    private func numbering(_ harness: PipelineHarness) throws -> StoreNumbering {
        let (directory, name) = (harness.directory.path, "kinesis.db")
        return try RecordStore(at: { StoreLocation(directory: directory, fileName: name) }).numbering()
    }

    private func identities(_ server: LocalServer) -> [RecordIdentity] {
        server.requests.flatMap { ParsedPutRequest($0).keys }.compactMap { RecordIdentity(partitionKey: $0) }
    }

    @Test func `the keys that are sent name the store, the stream and each record`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        for stream in ["a", "b"] {
            for number in 0..<20 {
                try await harness.save("\(number)", to: stream, key: number % 5 == 4 ? "given" : nil)
            }
        }
        let before = try numbering(harness)
        #expect(before.streams.map(\.first) == [0, 0] && before.streams.map(\.next) == [16, 16])
        #expect(try held(harness, "a") == [0...15] && held(harness, "b") == [0...15])
        #expect(try await harness.flush().delivered == 40)
        let sent = identities(server)
        let store = try #require(before.store)
        let expected = before.streams.flatMap { stream in
            (0..<16).map { RecordIdentity(store: store, stream: stream.number, ordinal: $0) }
        }
        #expect(Set(sent) == Set(expected) && sent.count == 32)
        #expect(sent.allSatisfy { RecordIdentity.store($0.storeID) == store })
        #expect(try held(harness, "a").isEmpty && held(harness, "b").isEmpty)
    }

    @Test func `records that stay after a failure are held, by their ordinals, and so are those after them`()
        async throws
    {
        let server = try LocalServer { request, _ in
            .kinesis(request) { ["3", "4", "8", "12"].contains($0) ? "InternalFailure" : nil }
        }
        let harness = try PipelineHarness(to: server, calling: { $0.maximumRetries = 0 })
        for number in 0..<10 { try await harness.save("\(number)") }
        _ = try? await harness.flush()
        #expect(try held(harness) == [3...4, 8...8])
        for number in 10..<20 { try await harness.save("\(number)", key: number == 11 ? "given" : nil) }
        #expect(try held(harness) == [3...4, 8...8, 10...18])
    }

    @Test(arguments: [KeylessRecords.withRandomKeys, .withoutKeys])
    func `records that are delivered under keys that do not name them are counted`(keyless: KeylessRecords) async throws
    {
        let server = try LocalServer { request, _ in
            .kinesis(request) { $0 == "kept" ? "InternalFailure" : nil }
        }
        let harness = try PipelineHarness(
            to: server,
            { $0.keylessRecords = keyless },
            calling: { $0.maximumRetries = 0 }
        )
        for text in ["0", "1", "2", "kept"] { try await harness.save(text) }
        try await harness.save("given", key: "given")
        _ = try? await harness.flush()
        #expect(try numbering(harness).streams.map(\.unnamed) == [3])
        let named = try PipelineHarness(to: server, in: harness.directory)
        try await named.save("3")
        _ = try? await named.flush()
        #expect(try numbering(named).streams.map(\.unnamed) == [3])
        #expect(try numbering(named).streams.map(\.next) == [5])
    }

    @Test func `a copied store numbers its next records under another identity, from where the original was`()
        async throws
    {
        let first = try PipelineHarness()
        for text in ["0", "1", "2"] { try await first.save(text) }
        let copy = try TemporaryDirectory()
        for file in try FileManager.default.contentsOfDirectory(atPath: first.directory.path) {
            try FileManager.default.copyItem(atPath: first.directory.path(file), toPath: copy.path(file))
        }
        let second = try PipelineHarness(in: copy)
        try await second.save("3")
        try await second.save("0", to: "another")
        let (original, copied) = (try numbering(first), try numbering(second))
        let (old, new) = (try #require(original.store), try #require(copied.store))
        #expect(old != new)
        #expect(copied.streams.map(\.first) == [3, 0] && copied.streams.map(\.next) == [4, 1])
        #expect(copied.streams.first?.held == [old: OrdinalRanges([0...2]), new: OrdinalRanges([3...3])])
        #expect(copied.earlier.map(\.store) == [old] && copied.earlier.map(\.ordinals) == [0..<3])
        #expect(original.streams.map(\.first) == [0] && original.streams.map(\.next) == [3])
        #expect(original.earlier.isEmpty)
    }

    @Test func `the newest 256 ranges of earlier identities are kept, and impossible ones are left out`() async throws {
        let harness = try PipelineHarness()
        try await harness.save("0")
        let connection = try SQLiteConnection(path: harness.path, access: .readWrite)
        try connection.execute(
            """
            WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 300)
                INSERT INTO earlier_source (key_source, stream, first, next, unnamed) SELECT i, 1, i, i + 1, 0 FROM number;
            UPDATE meta SET key_place = 'before a boot';
            """
        )
        try await harness.save("1")
        let earlier = try numbering(harness).earlier
        #expect(earlier.count == 256 && earlier.first?.ordinals.lowerBound == 46 && earlier.last?.ordinals == 0..<1)
        try connection.execute(
            """
            UPDATE earlier_source SET unnamed = 9223372036854775807 WHERE id % 5 = 0;
            UPDATE earlier_source SET first = -9223372036854775808 WHERE id % 5 = 1;
            UPDATE earlier_source SET next = 9223372036854775807 WHERE id % 5 = 2;
            UPDATE earlier_source SET first = next + 1 WHERE id % 5 = 3;
            UPDATE earlier_source SET key_source = 0 WHERE id % 5 = 4;
            """
        )
        let sound = try numbering(harness).earlier
        #expect(sound.count == 51 && sound.allSatisfy { $0.unnamed == Int($0.ordinals.upperBound) })
    }

    @Test func `records that were rescued are held under their keys`() async throws {
        let harness = try PipelineHarness()
        for text in ["0", "1", "2"] { try await harness.save(text) }
        let store = try #require(try numbering(harness).store)
        do {
            let connection = try SQLiteConnection(path: harness.path, access: .readWrite)
            try connection.execute(
                "DELETE FROM block_1 WHERE id & 0xFF = 2; UPDATE stream SET records = -1 WHERE number = 0"
            )
        }
        let reopened = try PipelineHarness(in: harness.directory)
        #expect(try reopened.records() == 2)
        #expect(try numbering(reopened).streams.first?.held == [store: OrdinalRanges([0...0, 2...2])])
    }
}
