import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// `record(contentsOf:)` of both clients.
@Suite(.timeLimit(.minutes(10))) struct RecordManyTests {
    private static let texts = (0..<1_200).map { "record \($0)" }
    private static let payloads = texts.map { Data($0.utf8) }

    @Test(arguments: ClientKind.allCases)
    func `many records are delivered in order, between those recorded before and after`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        try await client.record("before")
        try await client.record(contentsOf: Self.payloads)
        try await client.record("after")
        #expect(try await client.drain().recordsFlushed == 1_202)
        #expect(server.texts == ["before"] + Self.texts + ["after"])
    }

    @Test func `the partition key belongs to each of many records`() async throws {
        let server = try AcceptingServer()
        let client = try TestClient(.kinesis, to: server.url)
        try await client.record(contentsOf: Self.payloads.prefix(3).map(\.self), key: "one key")
        try await client.flush()
        let body = try #require(server.server.requests.first).body
        let json = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        let records = try #require(json["Records"] as? [[String: String]])
        #expect(records.map { $0["PartitionKey"] } == ["one key", "one key", "one key"])
    }

    @Test(arguments: ClientKind.allCases)
    func `a disabled client drops many records silently, even invalid ones`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        await client.disable()
        try await client.record(contentsOf: Self.payloads)
        try await client.record(contentsOf: [Data(count: kind.recordLimit + 1)], key: "", to: "")
        await client.enable()
        try await client.record("after")
        try await client.drain()
        #expect(server.texts == ["after"])
    }

    @Test(arguments: ClientKind.allCases)
    func `an oversized record of many is a validation error that names its position, and none is stored`(
        kind: ClientKind
    ) async throws {
        let client = try TestClient(kind, to: "http://127.0.0.1:1") { $0.cacheMaxBytes = 64 << 20 }
        let payloads = [Data([1]), Data(count: kind.recordLimit + 1), Data([3])]
        let error = await ClientError.thrown { try await client.record(contentsOf: payloads) }
        #expect(error?.kind == .validation)
        #expect(error?.description.hasPrefix("Record 2 of 3 is") == true)
        #expect(error?.description.contains("the limit is \(kind.recordLimit)") == true)
        #expect(error?.suggestion.contains("Split") == true)
        #expect(try await client.clear() == 0)
    }

    @Test(arguments: ClientKind.allCases)
    func `an invalid stream name is a validation error of many records, and none is stored`(kind: ClientKind)
        async throws
    {
        let client = try TestClient(kind, to: "http://127.0.0.1:1")
        let error = await ClientError.thrown { try await client.record(contentsOf: Self.payloads, to: "a/b") }
        #expect(error?.kind == .validation)
        #expect(error?.suggestion.contains("stream's name") == true)
        #expect(try await client.clear() == 0)
    }

    @Test func `an invalid partition key is a validation error of many records, and none is stored`() async throws {
        let client = try TestClient(.kinesis, to: "http://127.0.0.1:1")
        let error = await ClientError.thrown { try await client.record(contentsOf: Self.payloads, key: "") }
        #expect(error?.kind == .validation)
        #expect(error?.suggestion.contains("partition key") == true)
        #expect(try await client.clear() == 0)
    }

    @Test(arguments: ClientKind.allCases)
    func
        `records beyond the cache's limit are cacheLimitExceeded; the first ones are stored, and the error says how many`(
            kind: ClientKind
        ) async throws
    {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url) { $0.cacheMaxBytes = 1_500_000 }
        let payloads = (0..<20).map { Data("record \($0)".utf8) + Data(repeating: 46, count: 100_000) }
        let error = await ClientError.thrown { try await client.record(contentsOf: payloads) }
        #expect(error?.kind == .cacheLimitExceeded)
        #expect(error?.suggestion.contains("clearCache()") == true)
        let stored = try await client.drain().recordsFlushed
        #expect(stored > 0 && stored < 15)
        #expect(error?.description.hasSuffix("The first \(stored) of 20 records were saved.") == true)
        #expect(server.texts == payloads.prefix(stored).map { String(decoding: $0, as: UTF8.self) })
    }

    @Test(arguments: ClientKind.allCases)
    func `an empty list stores and sends nothing`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        try await client.record(contentsOf: [])
        #expect(try await client.drain().recordsFlushed == 0)
        #expect(server.server.requests.isEmpty)
    }
}
