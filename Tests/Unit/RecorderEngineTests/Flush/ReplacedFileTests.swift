import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// The store's file is moved away, or a backup is put in its place, while a flush runs: what the flush knows is of the old file.
@Suite(.timeLimit(.minutes(3))) struct ReplacedFileTests {
    private let directory: TemporaryDirectory
    private let gate = Gate()
    private let server: LocalServer
    private let harness: PipelineHarness

    init() throws {
        directory = try TemporaryDirectory()
        let gate = gate
        server = try LocalServer { request, index in
            if index == 0 { gate.wait() }
            return .kinesis(request)
        }
        harness = try Self.harness(to: server, in: directory)
    }

    private static func harness(to server: LocalServer, in directory: TemporaryDirectory) throws -> PipelineHarness {
        try PipelineHarness(to: server, in: directory) {
            $0.parallelStreams = 1
            $0.limits.bytes = 1_000
        }
    }

    /// The texts that each stream got.
    private var arrived: [String: [String]] {
        var texts: [String: [String]] = [:]
        for request in server.requests {
            texts[ParsedPutRequest(request).stream, default: []] += PutRequestBody(request.body).texts
        }
        return texts
    }

    private func moveAway() throws { #expect(rename(harness.path, directory.path("moved.db")) == 0) }

    @Test func `records of the new file are sent to their own streams`() async throws {
        defer { gate.open() }
        for stream in ["a", "b"] { try await harness.saveAll(["1", "2"].map { "\(stream) \($0)" }, to: stream) }
        async let report = harness.flush()
        await server.received(1)
        try moveAway()
        // Their streams have the numbers that the others had.
        for stream in ["x", "y"] { try await harness.saveAll(["1", "2", "3"].map { "\(stream) \($0)" }, to: stream) }
        gate.open()
        _ = try await report
        let own = arrived.allSatisfy { stream, texts in texts.allSatisfy { $0.hasPrefix("\(stream) ") } }
        #expect(own, "\(arrived)")
        _ = try await harness.flush()
        for stream in ["x", "y"] { #expect(arrived[stream] == ["1", "2", "3"].map { "\(stream) \($0)" }) }
        #expect(try harness.records() == 0)
    }

    @Test func `an answer about records that a restored backup does not have removes none of its new ones`()
        async throws
    {
        defer { gate.open() }
        let backup = directory.path("backup")
        do {
            let first = try Self.harness(to: server, in: directory)
            try await first.save("1")
            try await first.save("2")
        }
        try FileManager.default.copyItem(atPath: harness.path, toPath: backup)
        try await harness.saveAll(["3", "4", "5"])
        try #require(try harness.storedTexts() == ["1", "2", "3", "4", "5"])
        async let report = harness.flush()
        await server.received(1)
        #expect(rename(backup, harness.path) == 0)
        for suffix in ["-wal", "-shm"] { unlink("\(harness.path)\(suffix)") }
        try await harness.saveAll(["6", "7", "8"])
        gate.open()
        _ = try await report
        while try harness.records() > 0 { _ = try await harness.flush() }
        #expect(Set(arrived["stream"] ?? []).isSuperset(of: ["6", "7", "8"]), "\(arrived)")
    }

    @Test func `what a limit discards of the new file is reported`() async throws {
        defer { gate.open() }
        try await harness.saveAll((0..<8).map { "old \($0)" })
        async let report = harness.flush()
        await server.received(1)
        try moveAway()
        try await harness.save("new")
        try await harness.saveAll((0..<100).map { "new \($0)" })
        gate.open()
        _ = try await report
        let totals = try harness.pipeline.totals()
        #expect(totals.discarded > 0 && harness.events.discards.reduce(0) { $0 + $1.count } == totals.discarded)
    }

    @Test func `what a limit discarded of the old file, and the service accepted, is not reported`() async throws {
        defer { gate.open() }
        try await harness.saveAll((0..<8).map { "old \($0)" })
        async let report = harness.flush()
        await server.received(1)
        try await harness.saveAll((0..<4).map { "later \($0)" }, to: "other")
        let evicted = try harness.pipeline.totals().discarded
        try moveAway()
        try await harness.save("new")
        gate.open()
        _ = try await report
        #expect(evicted > 0 && harness.events.discards.isEmpty, "\(harness.events.discards)")
    }

    @Test func `a clear of the new file says nothing of the old one`() async throws {
        gate.open()
        try await harness.save("1")
        try moveAway()
        #expect(try await harness.clear() == 0)
        #expect(try harness.records() == 0)
        try await harness.save("2")
        #expect(try harness.storedTexts() == ["2"])
    }
}
