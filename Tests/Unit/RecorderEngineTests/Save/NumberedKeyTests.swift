import Foundation
import RecordFormats
import RecorderAWS
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct NumberedKeyTests {
    /// The partition keys that the service received, in order.
    private func keys(_ server: LocalServer) -> [String] {
        server.requests.flatMap { ParsedPutRequest($0).keys }
    }

    @Test func `records saved without a key get keys of their own, upper-case UUIDs of version 8`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        for stream in ["a", "b"] {
            for number in 0..<300 { try await harness.save("\(number)", to: stream, key: nil) }
        }
        #expect(try await harness.flush().delivered == 600)
        let keys = keys(server)
        #expect(keys.count == 600 && Set(keys).count == 600)
        for key in keys {
            #expect(UUID(uuidString: key)?.uuidString == key)
            #expect(key.dropFirst(14).first == "8" && "89AB".contains(key.dropFirst(19).first ?? " "))
        }
    }

    @Test func `a record keeps its key when it is sent again, also by another process`() async throws {
        let server = try LocalServer { request, number in
            number < 2 ? .error(400, "AccessDeniedException") : .kinesis(request)
        }
        let first = try PipelineHarness(to: server)
        for text in ["1", "2", "3"] { try await first.save(text, key: nil) }
        _ = try? await first.flush()
        let another = try PipelineHarness(to: server, in: first.directory)
        try await another.save("4", key: nil)
        _ = try? await another.flush()
        #expect(try await another.flush().delivered == 4)
        let keys = keys(server)
        #expect(keys.count == 3 + 4 + 4 && Set(keys).count == 4)
    }

    @Test func `a record whose number was altered is never sent under another key`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let first = try PipelineHarness()
        for text in ["1", "2", "3"] { try await first.save(text, key: nil) }
        do {
            let connection = try SQLiteConnection(path: first.path, access: .readWrite)
            try connection.execute("UPDATE block_1 SET number = number + 7 WHERE id & 0xFF = 2")
        }
        let harness = try PipelineHarness(to: server, in: first.directory)
        #expect(try await harness.flush().delivered == 2)
        #expect(harness.events.rescues.map(\.lost) == [1])
    }

    @Test func `a copied store gives its next records other keys than the original`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let first = try PipelineHarness(to: server)
        try await first.save("1", key: nil)
        #expect(try await first.flush().delivered == 1)
        let copy = try TemporaryDirectory()
        for file in try FileManager.default.contentsOfDirectory(atPath: first.directory.path) {
            try FileManager.default.copyItem(atPath: first.directory.path(file), toPath: copy.path(file))
        }
        let second = try PipelineHarness(to: server, in: copy)
        for harness in [first, second] {
            for text in ["2", "3"] { try await harness.save(text, key: nil) }
            #expect(try await harness.flush().delivered == 2)
        }
        let keys = keys(server)
        #expect(keys.count == 5 && Set(keys).count == 5)
    }

    @Test func `keys of one store spread over eight shards as random ones do`() {
        let isFull = ProcessInfo.processInfo.environment["STRESS"] == "full"
        var random = SeededRandom(1)
        var statistics: [Double] = []
        for _ in 0..<(isFull ? 20 : 1) {
            let store = RecordIdentity.storeID(UInt64.random(in: 1..<(1 << 60), using: &random))
            let keys = NumberedKeys(store: store)
            var shards = [Int](repeating: 0, count: 8)
            for ordinal in 0..<100_000 as Range<Int64> {
                // A service hashes keys by MD5; the shards are equal ranges of it.
                guard let hash = Digest.md5(Array(keys[ordinal].utf8)[...]) else { continue }
                shards[Int(hash[0] >> 5)] += 1
            }
            statistics.append(shards.reduce(0) { $0 + pow(Double($1) - 12_500, 2) / 12_500 })
        }
        print("chi-square of 7 degrees of freedom:", statistics)
        // 24.3 is exceeded once in a thousand times, and the mean is 7.
        #expect(statistics.allSatisfy { $0 < 24.3 })
        if isFull { #expect(statistics.reduce(0, +) / 20 < 10) }
    }
}
