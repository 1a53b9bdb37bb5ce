import Foundation
import RecorderAWS
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// Records of up to 10 MiB, and streams that do not accept them.
@Suite(.timeLimit(.minutes(10))) struct RecordSizeTests {
    private static let mebibyte = 1 << 20

    /// A Kinesis that refuses records over a maximum as AWS does: the whole request, as invalid.
    private func server(
        maximum: Int,
        named: Bool = true,
        describing answer: Reply = .error(400, "AccessDeniedException"),
        accepted: Recorded<[Int]> = Recorded()
    ) throws -> LocalServer {
        try LocalServer { request, _ in
            guard request.operation == "PutRecords" else { return answer }
            let sizes = PutRequestBody(request.body).records.map(\.data.count)
            guard let index = sizes.firstIndex(where: { $0 > maximum }) else {
                accepted.append(sizes)
                return .kinesis(request)
            }
            let text =
                "1 validation error detected: Value at 'records.\(index + 1).member.data' failed to satisfy constraint: "
                + "Member must have length less than or equal to \(maximum)"
            return .error(400, "ValidationException", message: named ? text : "The request is not valid.")
        }
    }

    /// A Kinesis for requests of one record, which it accepts without reading them: that takes long without optimization.
    private func oneByOne() throws -> LocalServer {
        try LocalServer { request, _ in
            .json(200, #"{"Records":[{"SequenceNumber":"1"}]}"#).encoded(for: request)
        }
    }

    private func largeHarness(_ server: LocalServer?, _ adjust: (inout RecorderPolicy) -> Void = { _ in }) throws
        -> PipelineHarness
    {
        try PipelineHarness(to: server) { policy in
            policy.maximumRecordBytes = 10 << 20
            policy.batchByteLimit = 10 << 20
            policy.limits.bytes = 0
            adjust(&policy)
        }
    }

    @Test(arguments: [RequestFormat.json, .cbor])
    func `records of up to 10 MiB with their key are stored, and sent unchanged`(format: RequestFormat) async throws {
        let server = try oneByOne()
        let harness = try largeHarness(server) { $0.requestFormat = format }
        let large = Data(repeating: 0xA7, count: (10 << 20) - 1)
        try await harness.save(large, key: "k")
        try await harness.save(Data("small".utf8), key: "k")
        #expect(try await harness.flush().delivered == 2)
        let records = server.requests.flatMap { PutRequestBody($0.body).records }
        #expect(records.map(\.data) == [large, Data("small".utf8)])
        #expect(try harness.records() == 0)
    }

    @Test func `what the service accepts includes the key, whatever the recorder's limit is`() async throws {
        let harness = try largeHarness(nil)
        let error = await failure { try await harness.save(Data(count: 10 << 20), key: "key") } as? RecorderError
        guard case .invalidRecord(.dataTooLarge, let text)? = error else {
            Issue.record("not an error about the size: \(String(describing: error))")
            return
        }
        #expect(text.contains("10485763 bytes") && text.contains("10485760"))
        #expect(try harness.records() == 0)
    }

    @Test func `an appended newline counts, too`() async throws {
        let harness = try PipelineHarness(.firehose) {
            $0.maximumRecordBytes = 1_024_000
            $0.delimiter = UInt8(ascii: "\n")
        }
        try await harness.save(Data(count: 1_023_999))
        try await harness.save(Data(count: 1_023_999) + Data("\n".utf8))
        await #expect(throws: RecorderError.self) { try await harness.save(Data(count: 1_024_000)) }
        await #expect(throws: RecorderError.self) {
            try await harness.pipeline.save(contentsOf: [Data(count: 1_024_000)], stream: "stream", partitionKey: nil)
        }
        #expect(try harness.records() == 2)
    }

    @Test func `a batch is as large as the user allows, up to the service's 10 MiB`() async throws {
        let accepted = Recorded<[Int]>()
        let server = try server(maximum: 10 << 20, accepted: accepted)
        let harness = try largeHarness(server)
        for _ in 0..<12 { try await harness.save(Data(count: Self.mebibyte - 1), key: "k") }
        #expect(try await harness.flush().delivered == 12)
        #expect(accepted.all.map(\.count) == [10, 2])
    }

    @Test func `a record that its stream does not accept is reported with both sizes, and the others are delivered`()
        async throws
    {
        let server = try server(maximum: Self.mebibyte)
        let harness = try largeHarness(server)
        for number in 0..<9 { try await harness.save("before \(number)") }
        try await harness.save(Data(count: 3 << 20), key: "k")
        for number in 0..<9 { try await harness.save("after \(number)") }
        let report = try await harness.flush()
        #expect(report.delivered == 18 && report.discarded == 1 && report.failures.isEmpty)
        let discard = try #require(harness.events.discards.first)
        #expect(harness.events.discards.count == 1)
        #expect(discard.reason == .rejected(code: "ValidationException"))
        let message = try #require(discard.message)
        #expect(message.contains("3145729 bytes") && message.contains("up to 1048576"))
        #expect(message.contains("stream stream"))
        #expect(server.requests.count < 15)
        #expect(try harness.records() == 0)
        // The refusals name the maximum, so that nothing else has to be asked.
        #expect(server.requests.allSatisfy { $0.operation == "PutRecords" })
    }

    @Test func `records that are too large do not keep a stream from the records behind them`() async throws {
        let server = try server(maximum: Self.mebibyte)
        let harness = try largeHarness(server) { $0.batchByteLimit = 512 * 1_024 }
        for _ in 0..<15 { try await harness.save(Data(count: 2 << 20), key: "k") }
        try await harness.save("small")
        let report = try await harness.flush()
        #expect(report.delivered == 1 && report.discarded == 15 && report.failures.isEmpty)
        #expect(server.requests.count == 16)
    }

    @Test func `DescribeStreamSummary is asked once for a maximum that the refusal does not name`() async throws {
        let summary = #"{"StreamDescriptionSummary":{"StreamName":"stream","MaxRecordSizeInKiB":2048}}"#
        let server = try server(maximum: 2 << 20, named: false, describing: .json(200, summary))
        let harness = try largeHarness(server)
        for bytes in [3 << 20, 3 << 20, 10] { try await harness.save(Data(count: bytes), key: "k") }
        let report = try await harness.flush()
        #expect(report.delivered == 1 && report.discarded == 2 && report.failures.isEmpty)
        #expect(harness.events.discards.allSatisfy { $0.message?.contains("up to 2097152") == true })
        #expect(server.requests.count { $0.operation == "DescribeStreamSummary" } == 1)
    }

    @Test
    func `with an unknown maximum, large records at the head of a stream delay the others by four flushes at most`()
        async throws
    {
        let server = try server(maximum: Self.mebibyte, named: false)
        let harness = try largeHarness(server) { $0.batchByteLimit = 512 * 1_024 }
        for _ in 0..<14 { try await harness.save(Data(count: 2 << 20), key: "k") }
        try await harness.save("small")
        var delivered = 0
        for _ in 0..<8 where delivered == 0 { delivered += try await harness.flush().delivered }
        #expect(delivered == 1)
        try await harness.flush()
        #expect(try harness.records() == 0)
        let discards = harness.events.discards
        #expect(discards.reduce(0) { $0 + $1.count } == 14)
        #expect(discards.allSatisfy { $0.message?.contains("2097153 bytes") == true })
        #expect(server.requests.count < 100)
    }

    @Test func `a record that is alone and too large is discarded at its first refusal`() async throws {
        let server = try server(maximum: Self.mebibyte)
        let harness = try largeHarness(server)
        try await harness.save(Data(count: 2 << 20), key: "k")
        let report = try await harness.flush()
        #expect(report.discarded == 1 && report.failures.isEmpty)
        #expect(server.requests.count == 1)
        #expect(try harness.records() == 0)
    }

    @Test func `a record within the stream's maximum is not blamed for its size`() async throws {
        let server = try server(maximum: 4 << 20, named: true)
        let harness = try largeHarness(server)
        try await harness.save(Data(count: 3 << 20), key: "k")
        #expect(try await harness.flush().delivered == 1)
    }

    @Test func `a 10 MiB record survives a rescue`() async throws {
        let large = Data(repeating: 0xA7, count: (10 << 20) - 1)
        let (directory, path, pages) = try await {
            let harness = try largeHarness(nil)
            try await harness.save(large, key: "k")
            try await harness.save(Data(count: 100_000), key: "k")
            // So that closing the store does not overwrite the damage.
            let connection = try SQLiteConnection(path: harness.path, access: .readWrite)
            try connection.checkpoint(.truncate)
            return (harness.directory, harness.path, try connection.integer("PRAGMA page_count") ?? 0)
        }()
        // A page of the second record.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(pages - 10) * 4_096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        try file.close()
        let server = try oneByOne()
        let harness = try PipelineHarness(to: server, in: directory) {
            $0.limits.bytes = 0
            $0.batchByteLimit = 10 << 20
        }
        try await harness.flush()
        #expect(harness.events.rescues.map(\.rescued) == [1])
        #expect(server.requests.flatMap { PutRequestBody($0.body).records }.first?.data == large)
    }
}
