import RecorderEngine
import RecorderTestSupport
import Testing

/// How many streams are sent at the same time.
@Suite(.timeLimit(.minutes(10))) struct StreamSchedulerTests {
    @Test(arguments: [(30_000, 4), (9_000, 2), (1, 1)])
    func `as many streams are sent at once as have room for their batches`(room: Int, together: Int) async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let harness = try PipelineHarness(amplify: .kinesis, to: server) { $0.inFlightBytes = room }
        // 3,000 bytes per stream are 4,000 in base64, plus keys and overhead.
        for stream in 0..<8 { try await harness.save(String(repeating: "x", count: 3_000), to: "stream-\(stream)") }
        async let flush = harness.pipeline.flushIfFree()
        await server.received(together)
        // A further request would have arrived with these, because the gate holds them all.
        #expect(server.requests.count == together)
        gate.open()
        #expect(try await flush.delivered == 8)
    }

    /// A stream of one record of 3,000 bytes has a request in flight and one read ahead, of 4,048 bytes each.
    @Test(arguments: [(0, 1), (16_191, 1), (16_192, 2), (24_288, 3), (1_000_000, 4)])
    func `a stream starts, in order, when there is room for its batches or no other stream is sent`(
        room: Int,
        together: Int
    ) {
        var policy = RecorderPolicy.legacy
        policy.inFlightBytes = room
        let streams = (1...6).map { number in
            StreamSummary(number: number, name: StreamName(unchecked: "s\(number)"), records: 1, bytes: 3_000)
        }
        var scheduler = StreamScheduler(streams, policy: policy)
        var started: [StreamSummary] = []
        while let stream = scheduler.next() { started.append(stream) }
        #expect(started == Array(streams.prefix(together)))
        scheduler.ended(started[0])
        let (next, another) = (scheduler.next(), scheduler.next())
        #expect(next == streams[together])
        #expect(another == nil)
    }
}
