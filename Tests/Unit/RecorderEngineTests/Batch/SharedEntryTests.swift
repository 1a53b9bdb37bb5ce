import Foundation
import RecordFormats
import RecorderAWS
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Records that share entries of requests: aggregated for Kinesis, joined for Firehose.
@Suite(.timeLimit(.minutes(5))) struct SharedEntryTests {
    private func harness(
        to server: LocalServer,
        of service: StreamServiceDescription = .kinesis,
        entryBytes: Int = 51_200,
        _ adjust: (inout RecorderPolicy) -> Void = { _ in }
    ) throws -> PipelineHarness {
        try PipelineHarness(service, to: server) {
            $0.sharedEntryBytes = entryBytes
            adjust(&$0)
        }
    }

    private func sent(by server: LocalServer) -> [SentEntry] { server.requests.flatMap(SentEntry.all) }

    @Test(arguments: [RequestFormat.json, .cbor])
    func `keyless records share entries, and each keeps the key that names it`(format: RequestFormat) async throws {
        let server = try LocalServer { request, _ in .entries(request) }
        let harness = try harness(to: server, entryBytes: 2_000) { $0.requestFormat = format }
        let texts = (0..<300).map { "record \($0)" }
        try await harness.saveAll(texts)
        #expect(try await harness.flush().delivered == 300)
        let entries = sent(by: server)
        #expect(entries.flatMap(\.texts) == texts)
        #expect(Set(entries.flatMap(\.keys)).count == 300)
        for entry in entries {
            #expect(entry.bytes <= 2_000 && entry.isShared)
            #expect(entry.key == entry.keys.first)
            let key = try #require(entry.key)
            let hash = try #require(Digest.md5(Array(key.utf8)[...])).reduce(UInt128.zero) { $0 << 8 | UInt128($1) }
            #expect(entry.hashKeys == [String(hash)])
        }
        #expect(try harness.pipeline.totals().entries == entries.count)
    }

    @Test func `with random keys, records without a key have that of their entry`() async throws {
        let server = try LocalServer { request, _ in .entries(request) }
        let harness = try harness(to: server, entryBytes: 2_000) { $0.keylessRecords = .withRandomKeys }
        try await harness.saveAll((0..<300).map { "record \($0)" })
        #expect(try await harness.flush().delivered == 300)
        let entries = sent(by: server)
        #expect(entries.flatMap(\.texts).count == 300 && entries.count < 10)
        #expect(Set(entries.map(\.key)).count == entries.count)
        for entry in entries { #expect(Set(entry.keys) == [entry.key ?? ""] && entry.hashKeys.isEmpty) }
    }

    @Test func `without sharing, random keys are a UUID of version 4 for each record`() async throws {
        let server = try LocalServer { request, _ in .entries(request) }
        let harness = try PipelineHarness(to: server) { $0.keylessRecords = .withRandomKeys }
        try await harness.saveAll(["a", "b", "c"])
        #expect(try await harness.flush().delivered == 3)
        let keys = sent(by: server).compactMap(\.key)
        #expect(Set(keys).count == 3)
        for key in keys { #expect(UUID(uuidString: key)?.uuidString == key && Array(key)[14] == "4") }
    }

    @Test func `only records with the same key share an entry, in the order of their saves`() async throws {
        let server = try LocalServer { request, _ in .entries(request) }
        let harness = try harness(to: server)
        for number in 0..<200 { try await harness.save("\(number)", key: "sensor \(number % 7)") }
        #expect(try await harness.flush().delivered == 200)
        let entries = sent(by: server)
        #expect(entries.count == 7)
        for (sensor, entry) in entries.enumerated() {
            #expect(
                entry.key == "sensor \(sensor)" && Set(entry.keys) == ["sensor \(sensor)"] && entry.hashKeys.isEmpty
            )
            #expect(entry.texts == (0..<200).filter { $0 % 7 == sensor }.map(String.init))
        }
    }

    @Test func `a record that is alone in its entry is sent as it is`() async throws {
        let server = try LocalServer { request, _ in .entries(request) }
        let harness = try harness(to: server, entryBytes: 1_000)
        let large = String(repeating: "x", count: 5_000)
        for (text, key) in [("a", "1"), (large, nil), ("b", "2"), (large, "1")] {
            try await harness.save(text, key: key)
        }
        #expect(try await harness.flush().delivered == 4)
        let records = try #require(server.requests.first).body
        #expect(PutRequestBody(records).texts == ["a", large, "b", large])
    }

    @Test func `records that are sent without a key share no entry`() async throws {
        let server = try LocalServer { request, _ in .entries(request) }
        let harness = try harness(to: server) { $0.keylessRecords = .withoutKeys }
        try await harness.saveAll(["a", "b"])
        try await harness.save("c", key: "k")
        try await harness.save("d", key: "k")
        #expect(try await harness.flush().delivered == 4)
        #expect(sent(by: server).map(\.texts) == [["a"], ["b"], ["c", "d"]])
        #expect(sent(by: server).map(\.key) == [nil, nil, "k"])
    }

    @Test func `an entry that was full before an older one, and is refused, keeps its own records and no others`()
        async throws
    {
        let server = try LocalServer { request, _ in
            .entries(request) { $0.texts.contains("fast 1") ? "InternalFailure" : nil }
        }
        let harness = try PipelineHarness(to: server, { $0.sharedEntryBytes = 100 }, calling: { $0.maximumRetries = 0 })
        let filler = String(repeating: "x", count: 20)
        for (text, key) in [
            ("slow 1", "slow"), ("fast 1", "fast"), (filler, "fast"), (filler + filler, "fast"), ("slow 2", "slow"),
        ] {
            try await harness.save(text, key: key)
        }
        #expect(try await harness.flush().delivered == 3)
        let entries = sent(by: server).map(\.texts)
        #expect(entries == [["fast 1", filler], ["slow 1", "slow 2"], [filler + filler]])
        #expect(try harness.storedTexts() == ["fast 1", filler])
    }

    /// The second record's entry is full, and so in the request, before the first one's. Each entry has one record.
    @Test(arguments: [("InternalFailure", ["large 1"]), ("InvalidRecord", [])])
    func `an entry that was full before an older one gets its own answer, also if no entry is shared`(
        code: String,
        kept: [String]
    ) async throws {
        let server = try LocalServer { request, _ in .entries(request) { $0.texts[0].hasPrefix("large 1") ? code : nil }
        }
        let harness = try PipelineHarness(to: server, { $0.sharedEntryBytes = 100 }, calling: { $0.maximumRetries = 0 })
        let filler = String(repeating: "x", count: 80)
        for (text, key) in [("small", "a"), ("large 1\(filler)", "b"), ("large 2\(filler)", "b")] {
            try await harness.save(text, key: key)
        }
        #expect(try await harness.flush().delivered == 2)
        #expect(sent(by: server).map { $0.texts[0].prefix(7) } == ["large 1", "small", "large 2"])
        #expect(try harness.storedTexts().map { String($0.prefix(7)) } == kept)
        #expect(harness.events.discards.reduce(0) { $0 + $1.count } == 1 - kept.count)
        #expect(harness.events.discards.allSatisfy { $0.bytes > 100 })
    }

    @Test func `no request is empty after entries were throttled that were full before older ones`() async throws {
        let server = try LocalServer { request, index in
            .entries(request) { _ in index == 0 ? "ProvisionedThroughputExceededException" : nil }
        }
        let harness = try harness(to: server)
        try await harness.save("first", key: "a")
        for number in 0..<40 { try await harness.save("\(number) \(String(repeating: "x", count: 30_000))", key: "b") }
        while try harness.records() > 0 { try await harness.flush() }
        #expect(server.requests.allSatisfy { !SentEntry.all(in: $0).isEmpty })
        #expect(harness.events.discards.isEmpty)
    }

    @Test func `a throttled entry is sent again with all of its records, and nothing else is`() async throws {
        let server = try LocalServer { request, index in
            .entries(request) { index == 0 && $0.key == "1" ? "ProvisionedThroughputExceededException" : nil }
        }
        let harness = try harness(to: server)
        for number in 0..<90 { try await harness.save("\(number)", key: "\(number % 3)") }
        #expect(try await harness.flush().delivered == 90)
        let requests = server.requests.map(SentEntry.all)
        #expect(requests.map { $0.map(\.key) } == [["0", "1", "2"], ["1"]])
        #expect(requests[1].first?.texts == requests[0][1].texts)
        #expect(try harness.records() == 0)
    }

    @Test func `a failed entry that stays keeps all of its records, and the next flush sends them`() async throws {
        let isFailing = Recorded<Int>()
        let server = try LocalServer { request, _ in
            .entries(request) { $0.key == "1" && isFailing.all.isEmpty ? "InternalFailure" : nil }
        }
        let harness = try PipelineHarness(
            to: server,
            { $0.sharedEntryBytes = 51_200 },
            calling: { $0.maximumRetries = 0 }
        )
        for number in 0..<90 { try await harness.save("\(number)", key: "\(number % 3)") }
        #expect(try await harness.flush().delivered == 60)
        #expect(try harness.storedTexts() == (0..<90).filter { $0 % 3 == 1 }.map(String.init))
        isFailing.append(1)
        #expect(try await harness.flush().delivered == 30)
        #expect(try harness.pipeline.totals().entries == 3)
    }

    @Test func `a refused entry is sent again record by record, and only the invalid one is deleted`() async throws {
        let server = try LocalServer { request, _ in
            .entries(request) { $0.texts.contains("17") ? "InvalidRecord" : nil }
        }
        let harness = try harness(to: server)
        try await harness.saveAll((0..<40).map(String.init))
        let report = try await harness.flush()
        #expect(report.delivered == 39 && report.discarded == 1)
        #expect(harness.events.discards.map(\.count) == [1])
        #expect(try harness.records() == 0)
        #expect(server.requests.count == 2)
    }

    @Test func `a refused request is sent again record by record, and only the invalid one is deleted`() async throws {
        let server = try LocalServer { request, _ in
            SentEntry.all(in: request).contains { $0.texts.contains("17") }
                ? .error(400, "ValidationException") : .entries(request)
        }
        let harness = try harness(to: server, entryBytes: 1_024)
        try await harness.saveAll((0..<400).map(String.init))
        let report = try await harness.flush()
        #expect(report.delivered == 399 && report.discarded == 1)
        #expect(try harness.records() == 0)
        #expect(server.requests.count < 25)
    }

    @Test(arguments: [1, 4])
    func `after a refused entry, only the records of its request get entries of their own`(atOnce: Int) async throws {
        let server = try LocalServer { request, _ in
            .entries(request) { $0.texts.contains("record 17") ? "InvalidRecord" : nil }
        }
        let harness = try harness(to: server) {
            $0.batchByteLimit = 20_000
            $0.requestsPerStream = atOnce
        }
        let texts = (0..<3_000).map { "record \($0)" }
        try await harness.saveAll(texts)
        let report = try await harness.flush()
        #expect(report.delivered == 2_999 && report.discarded == 1)
        #expect(sent(by: server).count { !$0.isShared } <= 1_000)
        #expect(Set(sent(by: server).flatMap(\.texts)) == Set(texts))
        #expect(try harness.records() == 0)
    }

    @Test func `an entry that is refused when the last batch was read holds back none of the others`() async throws {
        let server = try LocalServer { request, _ in
            .entries(request) { $0.isShared ? "InvalidArgumentException" : nil }
        }
        let harness = try harness(to: server) {
            $0.batchByteLimit = 20_000
            $0.requestsPerStream = 4
        }
        // Two batches with shared entries, three of 500 without.
        try await harness.saveAll((0..<1_300).map { "record \($0)" })
        #expect(try await harness.flush().delivered == 1_300)
    }

    @Test(arguments: [1, 4])
    func `a stream that refuses shared entries gets every record once, in entries of its own`(atOnce: Int) async throws
    {
        let server = try LocalServer { request, _ in
            .entries(request) { $0.isShared ? "InvalidArgumentException" : nil }
        }
        let harness = try harness(to: server) {
            $0.batchByteLimit = 20_000
            $0.requestsPerStream = atOnce
        }
        let texts = (0..<3_000).map { "record \($0)" }
        try await harness.saveAll(texts)
        #expect(try await harness.flush().delivered == 3_000)
        #expect(sent(by: server).filter { !$0.isShared }.flatMap(\.texts).sorted() == texts.sorted())
        #expect(harness.events.discards.isEmpty)
    }

    @Test func `records share an entry only with those that failed as often, as the limit on failures counts`()
        async throws
    {
        let server = try LocalServer { request, _ in .entries(request) { _ in "InternalFailure" } }
        let harness = try PipelineHarness(
            to: server,
            {
                $0.sharedEntryBytes = 51_200
                $0.discardsAfterFailures = 2
            },
            calling: { $0.maximumRetries = 0 }
        )
        try await harness.saveAll(["a", "b"])
        _ = try await harness.flush()
        try await harness.saveAll(["c", "d"])
        let report = try await harness.flush()
        #expect(report.discarded == 2)
        #expect(sent(by: server).map(\.texts) == [["a", "b"], ["a", "b"], ["c", "d"]])
        #expect(try harness.storedTexts() == ["c", "d"])
    }

    @Test func `Firehose gets lines joined up to the size of an entry, none of them split`() async throws {
        let server = try LocalServer { request, _ in
            let count = PutRequestBody(request.body).records.count
            let entries = Array(repeating: #"{"RecordId":"r"}"#, count: count).joined(separator: ",")
            return .json(200, #"{"FailedPutCount":0,"RequestResponses":[\#(entries)]}"#)
        }
        let harness = try harness(to: server, of: .firehose, entryBytes: 5_120) { $0.delimiter = UInt8(ascii: "\n") }
        let lines = (0..<1_000).map { String(format: "%0200d", $0) }
        try await harness.saveAll(lines)
        #expect(try await harness.flush().delivered == 1_000)
        let records = server.requests.flatMap { PutRequestBody($0.body).records }
        #expect(records.count == 40)
        #expect(records.allSatisfy { $0.data.count <= 5_120 && $0.data.last == UInt8(ascii: "\n") })
        let text = String(decoding: records.map(\.data).reduce(Data(), +), as: UTF8.self)
        #expect(text == lines.map { "\($0)\n" }.joined())
        #expect(try harness.pipeline.totals().entries == 40)
    }

    @Test func `a record that was saved without its newline is not joined with others`() async throws {
        let server = try LocalServer { request, _ in
            let count = PutRequestBody(request.body).records.count
            let entries = Array(repeating: #"{"RecordId":"r"}"#, count: count).joined(separator: ",")
            return .json(200, #"{"FailedPutCount":0,"RequestResponses":[\#(entries)]}"#)
        }
        let harness = try harness(to: server, of: .firehose, entryBytes: 5_120)
        try await harness.saveAll(["a\n", "b\n", "c", "d\n", "e\n"])
        #expect(try await harness.flush().delivered == 5)
        #expect(server.requests.flatMap { PutRequestBody($0.body).texts } == ["a\nb\n", "c", "d\ne\n"])
    }
}
