import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// Copies of records that the service did not accept.
@Suite(.timeLimit(.minutes(3))) struct RejectedRecordTests {
    /// Rejects records that begin with "bad" as long as `rejects` says so.
    private func server(rejects: @escaping @Sendable (_ request: Int) -> Bool = { _ in true }) throws -> LocalServer {
        try LocalServer { request, index in
            .kinesis(request) { $0.hasPrefix("bad") && rejects(index) ? "InvalidArgumentException" : nil }
        }
    }

    private func harness(
        to server: LocalServer,
        in directory: TemporaryDirectory? = nil,
        by clock: ManualClock = ManualClock(),
        _ adjust: (inout RecorderPolicy) -> Void = { _ in }
    ) throws -> PipelineHarness {
        try PipelineHarness(to: server, in: directory, by: clock) { policy in
            policy.keepsRejected = true
            policy.limits.bytes = 0
            adjust(&policy)
        }
    }

    @Test func `a rejected record is kept with its key and data, the service's code and message, and both times`()
        async throws
    {
        let (server, clock) = (try server(), ManualClock())
        let harness = try harness(to: server, by: clock)
        let saved = clock.now
        try await harness.save("bad 1", key: "k")
        try await harness.save("good")
        try await harness.save("bad 2")
        clock.advance(by: 60)
        #expect(try await harness.flush().discarded == 2)
        let keys = ParsedPutRequest(try #require(server.requests.first)).keys
        let copies = try harness.rejected()
        #expect(copies.map(\.text) == ["bad 1", "bad 2"] && copies.map(\.partitionKey) == [keys[0], keys[2]])
        #expect(copies[0].partitionKey == "k" && copies[1].partitionKey?.count == 36)
        for copy in copies {
            #expect(copy.stream.rawValue == "stream" && copy.code == "InvalidArgumentException")
            #expect(copy.message == "injected failure" && copy.savedAt == saved && copy.rejectedAt == clock.now)
        }
        let status = try harness.pipeline.status()
        #expect(status.rejectedCopies == 2 && status.totals.rejected == 2 && status.totals.bytes == 0)
        #expect(harness.events.discards.map(\.count) == [2])
    }

    @Test func `copies do not make the store write its records twice`() async throws {
        let server = try server()
        let harness = try harness(to: server)
        func data(_ text: String) -> Data { Data("\(text) \(String(repeating: "x", count: 40_000))".utf8) }
        try await harness.save("good")
        for number in 0..<100 { try await harness.save(data("bad \(number)")) }
        #expect(try await harness.flush().discarded == 100)
        // In three segments.
        for number in 0..<30 { try await harness.save(data("good \(number)")) }
        await harness.pipeline.limitsEnforced()
        let connection = try SQLiteConnection(path: harness.path, access: .readOnly)
        #expect(try connection.integer("SELECT count(*) FROM segment") == 3)
        #expect(try connection.integer("SELECT count(*) FROM kept") == 0)
    }

    @Test func `without the option no copy is kept`() async throws {
        let server = try server()
        let harness = try harness(to: server) { $0.keepsRejected = false }
        try await harness.saveAll(["bad", "good"])
        #expect(try await harness.flush().discarded == 1)
        #expect(try harness.rejected().isEmpty && harness.pipeline.status().rejectedCopies == 0)
    }

    @Test func `a record that makes the service refuse its request is kept, and one that failed before`() async throws {
        let server = try LocalServer { request, index in
            let texts = ParsedPutRequest(request).texts
            if texts.contains("invalid") { return .error(400, "ValidationException") }
            return .kinesis(request) {
                $0 == "failed" ? index < 3 ? "InternalFailure" : "InvalidArgumentException" : nil
            }
        }
        let harness = try harness(to: server) { $0.discardsAfterFailures = 100 }
        try await harness.saveAll(["failed", "invalid", "good"])
        while try harness.records() > 0 { try await harness.flush() }
        let copies = try harness.rejected().map { "\($0.text): \($0.code)" }
        #expect(Set(copies) == ["failed: InvalidArgumentException", "invalid: ValidationException"])
    }

    @Test func `a record that failed too often is kept, with the last failure's message`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { $0 == "bad" ? "InternalFailure" : nil } }
        let harness = try harness(to: server) { $0.discardsAfterFailures = 2 }
        try await harness.saveAll(["bad", "good"])
        while try harness.records() > 0 { try await harness.flush() }
        let copies = try harness.rejected()
        #expect(copies.map(\.code) == ["RetriesExhausted"] && copies.map(\.message) == ["injected failure"])
        #expect(harness.events.discards.map(\.message) == [nil])
    }

    @Test func `a record does not leave if its copy cannot be stored`() async throws {
        let server = try server()
        let harness = try harness(to: server)
        try await harness.save("bad 1")
        try await harness.flush()
        let other = try SQLiteConnection(path: harness.path, access: .readWrite)
        try other.execute(
            "CREATE TRIGGER no_copy BEFORE INSERT ON rejected BEGIN SELECT RAISE(ABORT, 'no copy'); END"
        )
        try await harness.saveAll(["good", "bad 2"])
        #expect(try await harness.flush().failures.count == 1)
        #expect(try harness.storedTexts() == ["good", "bad 2"])
        try other.execute("DROP TRIGGER no_copy")
        #expect(try await harness.flush().discarded == 1)
        #expect(try harness.rejected().map(\.text) == ["bad 1", "bad 2"])
    }

    @Test func `a store keeps 1,000 copies, and the oldest ones go first`() async throws {
        let server = try server()
        let harness = try harness(to: server)
        try await harness.saveAll((0..<600).map { "bad \($0)" })
        try await harness.flush()
        try await harness.saveAll((600..<1_205).map { "bad \($0)" })
        try await harness.flush()
        #expect(try harness.rejected().map(\.text) == (205..<1_205).map { "bad \($0)" })
        #expect(try harness.pipeline.totals().rejected == 1_205)
    }

    @Test func `copies have 4 MiB of data and keys, and a larger record is not kept`() async throws {
        let server = try server()
        let harness = try harness(to: server) { $0.maximumRecordBytes = 5 * 1_024 * 1_024 }
        let texts = (0..<20).map { "bad \($0) " + String(repeating: "x", count: 250_000) }
        try await harness.saveAll(texts)
        try await harness.save("bad " + String(repeating: "y", count: 4 * 1_024 * 1_024))
        #expect(try await harness.flush().discarded == 21)
        #expect(try harness.rejected().map(\.text) == Array(texts.suffix(16)))
    }

    @Test func `a rescue of the store carries over the copies that are unaltered`() async throws {
        let server = try server()
        var harness = Optional(try harness(to: server))
        let (directory, path) = try #require(harness.map { ($0.directory, $0.path) })
        for number in 1...3 {
            try await harness?.save("bad \(number)")
            try await harness?.flush()
        }
        try await harness?.saveAll((0..<400).map { "\($0) " + String(repeating: "x", count: 1_000) })
        harness = nil
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        try connection.execute("UPDATE rejected SET data = CAST('bad 9' AS BLOB) WHERE id = 2")
        try connection.checkpoint(.truncate)
        #expect(try RejectedRecords(at: StoreLocation(directory: directory.path, fileName: "kinesis.db")).damaged == 1)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: 60 * 4_096)
        try file.write(contentsOf: Data(repeating: 0x5A, count: 8 * 4_096))
        try file.close()
        let rescued = try self.harness(to: server, in: directory)
        try await rescued.flush()
        #expect(rescued.events.rescues.count == 1)
        #expect(try rescued.rejected().map(\.text) == ["bad 1", "bad 3"])
        #expect(try await rescued.pipeline.restoreRejected() == 2)
    }

    @Test func `restored records have the same keys and data, are delivered, and their copies are gone`() async throws {
        let server = try server { $0 == 0 }
        let harness = try harness(to: server)
        try await harness.saveAll(["bad 1", "bad 2"])
        try await harness.save("bad 3", key: "k")
        try await harness.flush()
        #expect(try await harness.pipeline.restoreRejected() == 3)
        #expect(try harness.rejected().isEmpty)
        #expect(try harness.storedTexts() == ["bad 1", "bad 2", "bad 3"])
        #expect(try await harness.flush().delivered == 3)
        let requests = server.requests.map { ParsedPutRequest($0) }
        #expect(requests.count == 2 && requests[0].keys == requests[1].keys && requests[0].texts == requests[1].texts)
        let totals = try harness.pipeline.totals()
        #expect(totals.saved == 6 && totals.rejected == 3 && totals.delivered == 3)
    }

    @Test func `copies of some streams are restored or removed, and a clear of the store keeps all`() async throws {
        let server = try server()
        let harness = try harness(to: server)
        for stream in ["a", "b", "c"] { try await harness.save("bad \(stream)", to: stream) }
        try await harness.flush()
        try await harness.save("more", to: "c")
        #expect(try await harness.clear() == 1)
        let pipeline = harness.pipeline
        #expect(try await pipeline.restoreRejected(StreamSelection(["a", "x"])) == 1)
        // The streams are sent at the same time, so their copies are in no certain order.
        #expect(try Set(harness.rejected().map(\.text)) == ["bad b", "bad c"])
        #expect(try await pipeline.clearRejected(StreamSelection(["b"])) == 1)
        #expect(try await pipeline.clearRejected() == 1)
        #expect(try harness.rejected().isEmpty && harness.storedTexts() == ["bad a"])
        #expect(try await pipeline.restoreRejected() == 0)
    }

    @Test func `a Firehose record has no key, and is restored without one`() async throws {
        let server = try LocalServer { request, index in
            let entry = index == 0 ? #"{"ErrorCode":"InvalidArgumentException"}"# : #"{"RecordId":"1"}"#
            let count = ParsedPutRequest(request).texts.count
            return .json(
                200,
                #"{"RequestResponses":[\#(Array(repeating: entry, count: count).joined(separator: ","))]}"#
            )
        }
        let harness = try PipelineHarness(.firehose, to: server) { $0.keepsRejected = true }
        try await harness.save("bad")
        try await harness.flush()
        let location = StoreLocation(directory: harness.directory.path, fileName: "firehose.db")
        #expect(try RejectedRecords(at: location).records.map(\.partitionKey) == [nil])
        #expect(try await harness.pipeline.restoreRejected() == 1)
        #expect(try await harness.flush().delivered == 1)
    }
}

extension RejectedRecord {
    fileprivate var text: String { String(decoding: data, as: UTF8.self) }
}

extension PipelineHarness {
    /// The copies that another program would read from the file.
    fileprivate func rejected() throws -> [RejectedRecord] {
        try RejectedRecords(at: StoreLocation(directory: directory.path, fileName: "kinesis.db")).records
    }
}
