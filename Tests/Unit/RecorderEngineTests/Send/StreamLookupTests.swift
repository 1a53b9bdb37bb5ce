import Foundation
import RecorderAWS
import RecorderDelivery
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Aggregated records at a consumer built on the KCL, of streams that place entries by their keys and of others.
@Suite(.timeLimit(.minutes(5))) struct StreamLookupTests {
    private func harness(
        to stream: DistributedStream,
        checksDistribution: Bool = true,
        lookupTimeout: Duration = .seconds(280),
        _ adjust: (inout RecorderPolicy) -> Void = { _ in }
    ) throws -> PipelineHarness {
        var policy = RecorderPolicy.legacy
        policy.sharedEntryBytes = 2_000
        policy.batchByteLimit = 20_000
        policy.limits.bytes = 0
        adjust(&policy)
        return try PipelineHarness(
            url: stream.url,
            policy: policy,
            checksDistribution: checksDistribution,
            calling: { $0.lookupTimeout = lookupTimeout }
        )
    }

    private let texts = (0..<3_000).map { "record \($0)" }

    @Test func `a stream that places entries by key is asked once, and its records share entries`() async throws {
        let stream = try DistributedStream()
        let harness = try harness(to: stream)
        for _ in 0..<2 {
            try await harness.saveAll(texts)
            #expect(try await harness.flush().delivered == 3_000)
        }
        let state = stream.state
        #expect(state.count(of: "DescribeStreamSummary") == 1 && state.count(of: "ListShards") == 2)
        #expect(state.records == 3_000 && state.repeats == 3_000 && state.dropped == 0)
        #expect(state.sharedEntries > 50)
    }

    @Test func `on a stream that distributes by itself, records go one by one, and it is asked once`() async throws {
        let stream = try DistributedStream { $0.isAutomatic = true }
        let harness = try harness(to: stream)
        for _ in 0..<2 {
            try await harness.saveAll(texts)
            #expect(try await harness.flush().delivered == 3_000)
        }
        let state = stream.state
        #expect(state.sharedEntries == 0 && state.records == 3_000 && state.repeats == 3_000)
        #expect(state.count(of: "DescribeStreamSummary") == 1)
    }

    @Test func `control: without asking, the consumer drops records there`() async throws {
        let stream = try DistributedStream { $0.isAutomatic = true }
        let harness = try harness(to: stream, checksDistribution: false)
        try await harness.saveAll(texts)
        #expect(try await harness.flush().delivered == 3_000)
        #expect(stream.state.dropped > 1_000 && stream.state.records < 2_000)
        #expect(stream.state.count(of: "DescribeStreamSummary") == 0)
    }

    @Test(arguments: [RequestFormat.json, .cbor], [1, 4])
    func `a stream that is switched during a flush loses nothing at its consumer`(
        format: RequestFormat,
        atOnce: Int
    ) async throws {
        let stream = try DistributedStream { $0.changes[2] = { $0.isAutomatic = true } }
        let harness = try harness(to: stream) {
            $0.requestFormat = format
            $0.requestsPerStream = atOnce
        }
        for (number, text) in texts.enumerated() {
            harness.pipeline.save(
                Data(text.utf8),
                stream: "stream",
                partitionKey: number % 2 == 0 ? nil : "k\(number % 6)"
            ) {
                _ in
            }
        }
        #expect(try await harness.flush().delivered == 3_000)
        let state = stream.state
        #expect(state.records == 3_000 && state.dropped > 0)
        if atOnce == 1 { #expect(state.sharedEntriesAfterAnswer == 0) }
        #expect(state.repeats == 0)
        #expect(try harness.records() == 0)
    }

    @Test func `a stream that is switched between flushes loses nothing at its consumer, whatever was known`()
        async throws
    {
        let stream = try DistributedStream()
        let harness = try harness(to: stream)
        for isAutomatic in [false, true] {
            stream.change { $0.isAutomatic = isAutomatic }
            for text in texts.prefix(20) { try await harness.save("\(text) \(isAutomatic)") }
            #expect(try await harness.flush().delivered == 20)
        }
        #expect(stream.state.records == 40 && stream.state.sharedEntriesAfterAnswer == 0)
    }

    @Test(arguments: [true, false])
    func `without the permission to ask, records go one by one`(maySummarize: Bool) async throws {
        let stream = try DistributedStream {
            let denied = Reply.error(400, "AccessDeniedException")
            if maySummarize { $0.list = denied } else { $0.summary = denied }
        }
        let harness = try harness(to: stream)
        try await harness.saveAll(texts)
        #expect(try await harness.flush().delivered == 3_000)
        let state = stream.state
        #expect(state.sharedEntries == 0 && state.records == 3_000)
        #expect(state.operations.count { $0 != "PutRecords" } <= 2)
    }

    @Test(arguments: [Reply.error(400, "LimitExceededException"), .html(200, "<p>Log in</p>"), .dropConnection])
    func `a lookup that fails holds nothing up, and is not repeated for each batch`(reply: Reply) async throws {
        let stream = try DistributedStream { $0.summary = reply }
        let harness = try harness(to: stream)
        try await harness.saveAll(texts)
        let start = ContinuousClock.now
        #expect(try await harness.flush().delivered == 3_000)
        let pauses = (ContinuousClock.now - start) / RecordDistribution.pauses.unreachable
        let state = stream.state
        #expect(state.sharedEntries == 0 && state.records == 3_000)
        // On a connection that was used before, a request whose connection is dropped is sent once more.
        #expect(1...1 + 2 * Int(pauses) ~= state.count(of: "DescribeStreamSummary"))
    }

    @Test func `a lookup without an answer ends`() async throws {
        let stream = try DistributedStream { $0.summary = .stall }
        let harness = try harness(to: stream, lookupTimeout: .milliseconds(200))
        try await harness.saveAll(["a", "b"])
        #expect(try await harness.flush().delivered == 2)
        #expect(stream.state.sharedEntries == 0)
    }

    @Test func `a stream that is resharded during a flush gets shared entries all along, each record once`()
        async throws
    {
        let stream = try DistributedStream { state in
            for put in [1, 3] { state.changes[put] = { $0.reshard(to: 8 + put) } }
        }
        let harness = try harness(to: stream)
        try await harness.saveAll(texts)
        #expect(try await harness.flush().delivered == 3_000)
        let state = stream.state
        #expect(state.records == 3_000 && state.repeats == 0 && state.dropped == 0)
        #expect(state.sharedEntries > 25 && state.sharedEntries < 100)
        #expect(state.count(of: "DescribeStreamSummary") == 3)
    }

    @Test func `a stream that is created again under its name gets each record once`() async throws {
        let stream = try DistributedStream()
        let harness = try harness(to: stream)
        try await harness.saveAll(texts)
        #expect(try await harness.flush().delivered == 3_000)
        stream.change { $0.recreate(with: 2) }
        try await harness.saveAll(texts.map { "\($0) again" })
        #expect(try await harness.flush().delivered == 3_000)
        let state = stream.state
        #expect(state.records == 6_000 && state.repeats == 0 && state.dropped == 0)
    }

    @Test func `after a request that was called invalid, the stream is asked again`() async throws {
        let stream = try DistributedStream {
            $0.isAutomatic = true
            $0.put = { $0 == 0 ? .error(400, "InvalidArgumentException") : nil }
            $0.changes[0] = { $0.isAutomatic = false }
        }
        let harness = try harness(to: stream)
        try await harness.saveAll(["a", "b"])
        #expect(try await harness.flush().delivered == 2)
        try await harness.saveAll(["c", "d"])
        #expect(try await harness.flush().delivered == 2)
        #expect(stream.state.count(of: "DescribeStreamSummary") == 2 && stream.state.sharedEntries == 1)
    }

    @Test func `a service that says one thing and does another gets every record, and is not tried for ever`()
        async throws
    {
        let stream = try DistributedStream {
            $0.isAutomatic = true
            $0.says = "USER_PARTITION_KEY"
        }
        let harness = try harness(to: stream)
        for _ in 0..<3 {
            try await harness.saveAll(texts)
            #expect(try await harness.flush().delivered == 3_000)
        }
        let state = stream.state
        #expect(state.records == 3_000 && state.count(of: "DescribeStreamSummary") == 2)
        #expect(state.sharedEntries <= 20)
    }

    @Test func `a stream whose shards are not all named gets every record, and is not tried for ever`() async throws {
        let shard =
            #"{"ShardId":"another","HashKeyRange":{"StartingHashKey":"0","EndingHashKey":"\#(UInt128.max)"}}"#
        let stream = try DistributedStream { $0.list = .json(200, #"{"Shards":[\#(shard)]}"#) }
        let harness = try harness(to: stream)
        for _ in 0..<3 {
            try await harness.saveAll(texts)
            #expect(try await harness.flush().delivered == 3_000)
        }
        let state = stream.state
        // Again after the first answer, and once more if a batch was read before its shards were listed.
        #expect(state.records == 3_000 && (2...3).contains(state.count(of: "DescribeStreamSummary")))
        // Those of the first request.
        #expect(state.sharedEntries <= 20, "\(state.sharedEntries)")
    }

    @Test func `a list of shards that has no end holds nothing up`() async throws {
        let page = Reply.trickle(
            status: 200,
            body: Array(#"{"Shards":[],"NextToken":"1"}"#.utf8),
            every: .milliseconds(20)
        )
        let stream = try DistributedStream { $0.list = page }
        let harness = try harness(to: stream, lookupTimeout: .seconds(1))
        try await harness.saveAll(["a", "b"])
        #expect(try await harness.flush().delivered == 2)
        #expect(stream.state.sharedEntries == 0 && stream.state.count(of: "ListShards") < 30)
    }

    @Test func `an order is not promised without asking, and records are sent in order anyway`() async throws {
        let stream = try DistributedStream { $0.isAutomatic = true }
        let harness = try harness(to: stream) {
            $0.sharedEntryBytes = nil
            $0.keepsOrder = true
        }
        for number in 0..<6 { try await harness.save("\(number)", key: "k") }
        #expect(try await harness.flush().delivered == 6)
        #expect(stream.state.operations == ["DescribeStreamSummary"] + Array(repeating: "PutRecords", count: 6))
    }

    @Test func `nothing is asked where no records share entries and no order is promised`() async throws {
        let stream = try DistributedStream()
        let harness = try harness(to: stream) { $0.sharedEntryBytes = nil }
        try await harness.saveAll(["a", "b"])
        #expect(try await harness.flush().delivered == 2)
        #expect(stream.state.operations == ["PutRecords"])
    }
}
