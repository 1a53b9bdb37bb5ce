import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// Programs may use any number of stream names; the store keeps the rows that it needs.
@Suite struct StreamRowTests {
    @Test func `names without records are forgotten, except the last used ones, and can be used again`()
        async throws
    {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server) { $0.parallelStreams = 8 }
        for number in 0..<2_500 {
            harness.pipeline.save(Data("first".utf8), stream: "s\(number)", partitionKey: nil) { _ in }
        }
        try await harness.save("last")
        #expect(try harness.pipeline.status().streams.count == 2_501)
        #expect(try await harness.flush().delivered == 2_501)
        let known = try harness.pipeline.status().streams
        #expect(known.count <= 1_001)
        #expect(known.contains { $0.name.rawValue == "stream" } && !known.contains { $0.name.rawValue == "s0" })

        try await harness.save("again", to: "s0")
        #expect(try await harness.flush().delivered == 1)
        #expect(ParsedPutRequest(try #require(server.requests.last)).texts == ["again"])
    }

    @Test func `a stream with records or a last error is not forgotten`() async throws {
        let server = try LocalServer { request, _ in
            ParsedPutRequest(request).stream == "missing" ? .error(400, "ResourceNotFoundException") : .kinesis(request)
        }
        let harness = try PipelineHarness(to: server) { $0.parallelStreams = 8 }
        try await harness.save("waits", to: "missing")
        for round in 0..<2 {
            for number in 0..<1_500 {
                let name = "s\(round)-\(number)"
                harness.pipeline.save(Data("x".utf8), stream: name, partitionKey: nil) { _ in }
            }
            try await harness.save("last")
            _ = try await harness.flush()
        }
        let streams = try harness.pipeline.status().streams
        let missing = try #require(streams.first { $0.name.rawValue == "missing" })
        #expect(missing.records == 1 && missing.lastError != nil)
    }

    @Test func `after the last stream number, free numbers are used again`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        try await harness.save("1", to: "a")
        try await harness.save("2", to: "b")
        try await harness.save("kept", to: "c")
        let connection = try SQLiteConnection(path: harness.path, access: .readWrite)
        try connection.execute("UPDATE stream SET number = \(1 << 22), records = 0, bytes = 0 WHERE name = 'b'")
        try await harness.save("3", to: "d")
        #expect(try connection.integer("SELECT number FROM stream WHERE name = 'd'") == 2)
        _ = try await harness.flush()
        let sent = server.requests.map { ParsedPutRequest($0) }
        #expect(sent.first { $0.stream == "d" }?.texts == ["3"], "records of the number's previous stream are not sent")
    }
}
