import AWSKinesis
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// The options of entries that several records share, and of order.
@Suite(.timeLimit(.minutes(5))) struct SharedEntryOptionTests {
    @Test func `a Kinesis recorder shares no entries by default, and a size outside the limits is the nearest within`()
        throws
    {
        let recorder = try Recorders.kinesis()
        #expect(!recorder.aggregatesRecords && recorder.aggregatedEntryBytes == 51_200 && !recorder.keepsOrder)
        #expect(!recorder.assumesDistributionByKey)
        for (set, taken) in [(0, 1_024), (1_024, 1_024), (100_000, 100_000), (UInt.max, 1_048_576)] as [(UInt, UInt)] {
            recorder.aggregatedEntryBytes = set
            #expect(recorder.aggregatedEntryBytes == taken)
        }
    }

    @Test func `a Firehose recorder shares no entries by default, and a size outside the limits is the nearest within`()
        throws
    {
        let recorder = try Recorders.firehose()
        #expect(!recorder.packsRecords && recorder.packedRecordBytes == 5_120)
        for (set, taken) in [(0, 1_024), (1_024, 1_024), (100_000, 100_000), (UInt.max, 1_024_000)] as [(UInt, UInt)] {
            recorder.packedRecordBytes = set
            #expect(recorder.packedRecordBytes == taken)
        }
    }

    @Test func `setting the size shares no entries, and it is kept while none are shared`() throws {
        let recorder = try Recorders.kinesis()
        recorder.aggregatedEntryBytes = 2_000
        #expect(!recorder.aggregatesRecords)
        recorder.aggregatesRecords = true
        recorder.aggregatedEntryBytes = 3_000
        #expect(recorder.aggregatesRecords && recorder.aggregatedEntryBytes == 3_000)
        recorder.aggregatesRecords = false
        #expect(!recorder.aggregatesRecords && recorder.aggregatedEntryBytes == 3_000)
    }

    @Test func `records are not packed without newlines: the submit faults and says what to set, and they stay`()
        async throws
    {
        let server = try LocalServer { request, _ in
            let proofs = PutRequestBody(request.body).records.map { _ in #"{"RecordId":"1"}"# }
            return .json(200, #"{"RequestResponses":[\#(proofs.joined(separator: ","))]}"#)
        }
        let recorder = try Recorders.firehose(url: server.url)
        recorder.packsRecords = true
        let submits = AsyncStream<AWSSubmitMetrics>.makeStream()
        recorder.metricsHandler = { submits.continuation.yield($0) }
        _ = try await recorder.saveRecord(Data("a".utf8), streamName: "lines").value
        let error = try #require(await recorder.submitAllRecords().failure())
        #expect(
            error.localizedDescription.contains(
                "Set appendsNewline before records are saved, or packsRecords to false."
            )
        )
        let told = await submits.stream.first { _ in true }
        #expect(told?.error == error && told?.recordsSent == 0)
        await #expect(throws: NSError.self) { try await recorder.submit() }
        #expect(recorder.statistics?.stored == 1 && server.requests.isEmpty)
        recorder.appendsNewline = true
        _ = try await recorder.saveRecord(Data("b".utf8), streamName: "lines").value
        #expect(await recorder.submitAllRecords().failure() == nil)
        #expect(recorder.statistics?.delivered == 2)
    }

    @Test func `aggregated records arrive once, each with its key, in fewer entries, which the statistics count`()
        async throws
    {
        let moto = try await MotoServer.shared()
        try await moto.createStream("aggregated")
        let recorder = try Recorders.kinesis(url: moto.url)
        recorder.aggregatesRecords = true
        recorder.keepsOrder = true
        let progress = Locked<AWSSubmitProgress?>(nil)
        recorder.submitProgressHandler = { step in progress.withLock { $0 = step } }
        let readings = (0..<600).map { Data("reading \($0)".utf8) }
        for (number, data) in readings.enumerated() where number % 2 == 0 {
            recorder.saveRecord(data, streamName: "aggregated", partitionKey: "sensor \(number % 10)")
        }
        let keyless = readings.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        _ = try await recorder.saveRecords(keyless, streamName: "aggregated").value
        try await recorder.submit()
        let entries = try await moto.kinesisRecords("aggregated")
        let records = entries.flatMap { AWSKinesisAggregation.records(from: $0.data, partitionKey: $0.partitionKey) }
        #expect(
            records.map(\.data).sorted { $0.lexicographicallyPrecedes($1) }
                == readings.sorted { $0.lexicographicallyPrecedes($1) }
        )
        // Five keys, and one entry of those without.
        #expect(entries.count == 6)
        #expect(Set(records.compactMap(\.partitionKey)).count == 305)
        let statistics = try #require(recorder.statistics)
        #expect(statistics.delivered == 600 && statistics.entries == 6 && statistics.stored == 0)
        let last = try #require(progress.withLock { $0 })
        #expect(last.recordsSent == 600 && last.entriesSent == 6)
    }

    @Test func `packed lines of 200 bytes reach Firehose unchanged, in 25 times fewer entries of one step of its bill`()
        async throws
    {
        let lines = (0..<1_000).map { Data(String(format: "%0199d", $0).utf8) }
        var entries: [Int] = []
        for packs in [false, true] {
            let moto = try await MotoServer.shared()
            let stream = "packed-\(packs)"
            try await moto.createDeliveryStream(stream)
            let recorder = try Recorders.firehose(url: moto.url)
            recorder.appendsNewline = true
            recorder.packsRecords = packs
            _ = try await recorder.saveRecords(lines, streamName: stream).value
            try await recorder.submit()
            let sent = try await moto.firehoseBytes(stream)
            #expect(sent == Array(lines.map { $0 + Data("\n".utf8) }.joined()))
            let statistics = try #require(recorder.statistics)
            #expect(statistics.delivered == 1_000)
            entries.append(statistics.entries)
        }
        // None is larger than 5 KB, so that each is billed as 5 KB.
        #expect(entries == [1_000, 40])
    }
}
