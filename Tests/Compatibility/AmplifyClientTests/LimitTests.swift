import AmplifyRecordCache
import Foundation
import RecorderTestSupport
import Testing

/// The documentation's "service limits", at each limit.
@Suite(.timeLimit(.minutes(10))) struct LimitTests {
    @Test func `an interval may be a duration`() throws {
        guard case .interval(let seconds) = FlushStrategy.interval(.milliseconds(1_500)) else {
            throw CancellationError()
        }
        #expect(seconds == 1.5)
        guard case .interval(60) = FlushStrategy.interval(60) else { throw CancellationError() }
    }

    @Test(arguments: ClientKind.allCases)
    func `a request contains at most 500 records`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        try await client.record((0..<501).map(String.init))
        try await client.drain()
        #expect(server.server.requests.map { ReceivedPut($0).records.count } == [500, 1])
    }

    @Test(arguments: ClientKind.allCases)
    func `a record may be as large as the limit`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url) { $0.cacheMaxBytes = 64 << 20 }
        let data = Data(count: kind.recordLimit - (kind == .kinesis ? 3 : 0))
        try await client.record(data)
        #expect(try await client.flush().recordsFlushed == 1)
        #expect(server.server.requests.map { ReceivedPut($0).records } == [[data]])
    }

    @Test(arguments: ClientKind.allCases)
    func `a request contains at most its limit of bytes, keys included`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url) { $0.cacheMaxBytes = 64 << 20 }
        // Eight of these are exactly the limit, for Firehose too, whose records are smaller than an eighth of it.
        let size = kind.requestLimit / 8 - (kind == .kinesis ? 3 : 0)
        for _ in 0..<9 { try await client.record(Data(count: size)) }
        try await client.drain()
        #expect(server.server.requests.map { ReceivedPut($0).records.count } == [8, 1])
    }

    @Test(arguments: ["k", String(repeating: "k", count: 256), String(repeating: "😀", count: 256), "\"\\\n\u{0}ü"])
    func `a partition key of 1 to 256 scalars arrives unchanged`(key: String) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(.kinesis, to: server.url)
        try await client.record(Data([1]), key: key)
        try await client.flush()
        let body = try #require(server.server.requests.first).body
        let json = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        #expect((json["Records"] as? [[String: String]])?.first?["PartitionKey"] == key)
    }

    @Test(arguments: ClientKind.allCases)
    func `the cache's default limit is 5 MiB of data and keys, to the byte`(kind: ClientKind) async throws {
        let client = try TestClient(kind, to: "http://127.0.0.1:1")
        let key = kind == .kinesis ? 3 : 0
        for _ in 0..<10 { try await client.record(Data(count: 512 * 1_024 - key)) }
        let error = await ClientError.thrown { try await client.record(Data(count: 1)) }
        #expect(error?.kind == .cacheLimitExceeded)
        #expect(try await client.clear() == 10)
    }

    @Test(arguments: ClientKind.allCases)
    func `empty data is a record`(kind: ClientKind) async throws {
        let server = try AcceptingServer()
        let client = try TestClient(kind, to: server.url)
        try await client.record(Data())
        #expect(try await client.flush().recordsFlushed == 1)
        #expect(server.server.requests.map { ReceivedPut($0).records } == [[Data()]])
    }
}
