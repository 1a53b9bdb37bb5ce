import RecorderAWS
import RecorderDelivery
import RecorderEngine
import RecorderHTTP
import RecorderStore
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
        var model = SchedulerModel { $0.inFlightBytes = room }
        let names = (1...6).map { "s\($0)" }
        #expect(model.request(1, .all, names).started == Array(names.prefix(together)))
        #expect(model.end("s1").started == [names[together]])
    }

    @Test func `a stream that is saved to during a flush is sent at once, whatever another one waits for`() {
        var model = SchedulerModel()
        #expect(model.request(1, .due, ["slow", "healthy"]).started == ["slow", "healthy"])
        #expect(model.end("healthy").rounds == [])
        for round in 2...100 {
            let begun = model.request(round, .due, ["slow", "healthy"])
            #expect(begun.started == ["healthy"])
            let ended = model.end("healthy")
            #expect(ended.rounds == [round] && ended.omitted == ["slow"])
        }
        #expect(model.end("slow").rounds == [1])
    }

    @Test func `a request for all streams tries those in flight again, and ends with them`() {
        var model = SchedulerModel()
        _ = model.request(1, .all, ["a", "b"])
        let requests = [model.request(2, .all, ["a", "b"]), model.request(3, .all, ["a"])]
        #expect(requests.allSatisfy { $0.started.isEmpty && $0.rounds.isEmpty })
        let first = model.end("a")
        // Once for both.
        #expect(first.started == ["a"] && first.rounds == [])
        #expect(model.end("a").rounds == [3])
        #expect(model.end("b").started == ["b"])
        #expect(model.end("b").rounds == [2])
    }

    /// The seconds at which a stream that fails is tried in 10 minutes of requests every second, beside one that works.
    private func attempts(_ error: RecorderError, _ scope: StreamScheduler.Scope) -> (failing: [Int], healthy: Int) {
        var model = SchedulerModel()
        var (failing, healthy) = ([Int](), 0)
        for second in 0..<600 {
            let started = model.request(second, scope, ["failing", "healthy"]).started
            if started.contains("healthy") { healthy += 1 }
            if started.contains("failing") { failing.append(second) }
            for stream in started { _ = model.end(stream, stream == "failing" ? error : nil) }
            model.now += .seconds(1)
        }
        return (failing, healthy)
    }

    @Test func `a stream that lasts in its failure is asked once a minute, beside one that is sent every second`() {
        let denied = attempts(.service(ServiceFailure(.denied, message: "no")), .due)
        #expect(denied.failing == Array(stride(from: 0, to: 600, by: 60)) && denied.healthy == 600)
        let throttled = attempts(.service(ServiceFailure(.throttled, message: "no")), .due)
        #expect(throttled.failing == [0, 2, 6, 14, 30, 62] + Array(stride(from: 122, to: 600, by: 60)))
        #expect(throttled.healthy == 600)
    }

    @Test func `an explicit submit tries every stream, however it failed`() {
        let denied = attempts(.service(ServiceFailure(.denied, message: "no")), .all)
        #expect(denied.failing.count == 600 && denied.healthy == 600)
    }

    @Test func `while a host cannot be reached, one stream finds out less and less often, whatever is saved`() {
        let error = RecorderError.service(ServiceFailure(.transport(HTTPFailure(.cannotConnect, "no")), message: "no"))
        var model = SchedulerModel { $0.parallelStreams = 1 }
        var tried: [Int] = []
        for second in 0..<300 {
            let started = model.request(second, .due, (0...second / 10).map { "s\($0)" }).started
            #expect(started.count <= 1)
            tried += started.map { _ in second }
            for stream in started { _ = model.end(stream, error) }
            model.now += .seconds(1)
        }
        #expect(tried == [0, 2, 6, 14, 30, 62, 122, 182, 242])
        #expect(model.request(1_000, .all, ["a", "b"]).started == ["a"])
        #expect(model.answer().started == [])
        #expect(model.end("a").started == ["b"])
    }

    @Test func `a host that cannot be reached says nothing about the host of another account`() {
        let error = RecorderError.service(ServiceFailure(.transport(HTTPFailure(.cannotConnect, "no")), message: "no"))
        let other = "arn:aws:kinesis:us-east-1:222222222222:stream/b"
        var model = SchedulerModel()
        _ = model.request(1, .due, ["a"])
        _ = model.end("a", error)
        #expect(model.request(2, .due, ["a", other]).started.contains(other))
    }

    @Test func `streams that failed last time leave half of the places to others, and start after them`() {
        var model = SchedulerModel()
        let bad = (1...6).map { "bad\($0)" }
        var started = model.request(1, .all, bad).started
        while !started.isEmpty {
            started = started.flatMap { model.end($0, .service(ServiceFailure(.throttled, message: "no"))).started }
        }
        #expect(model.request(2, .all, bad + ["good"]).started == ["good", "bad1", "bad2"])
        #expect(model.request(3, .due, ["new"]).started == ["new"])
        #expect(model.end("bad1").started == ["bad3"])
    }

    @Test func `a stream that has sent something before it failed is tried again soon`() {
        var model = SchedulerModel()
        let error = RecorderError.service(ServiceFailure(.throttled, message: "no"))
        for round in 0..<10 {
            #expect(model.request(round, .due, ["a"]).started == ["a"])
            _ = model.end("a", error, delivered: 1)
            model.now += .seconds(2)
        }
    }

    @Test func `what waits when nothing more may be sent is untried, or cancelled once for each round`() {
        for isCancelled in [false, true] {
            var model = SchedulerModel { $0.parallelStreams = 1 }
            _ = model.request(1, .all, ["a", "b", "c"])
            _ = model.request(2, .all, ["a", "b"])
            #expect(model.stop(isCancelled: isCancelled).rounds == [2])
            let ended = model.end("a")
            #expect(ended.rounds == [1] && ended.started == [])
            #expect(ended.untried == (isCancelled ? ["c"] : ["b", "c"]) && ended.failed == (isCancelled ? ["b"] : []))
        }
    }
}

/// A scheduler with a clock, whose streams hold one record each.
private struct SchedulerModel {
    struct Outcome {
        var started: [String] = []
        var rounds: [Int] = []
        var omitted: [String] = []
        var untried: [String] = []
        var failed: [String] = []
    }

    var now = ContinuousClock.now
    private var scheduler = StreamScheduler()
    private var policy = RecorderPolicy.legacy

    init(_ adjust: (inout RecorderPolicy) -> Void = { _ in }) { adjust(&policy) }

    mutating func request(_ round: Int, _ scope: StreamScheduler.Scope, _ streams: [String]) -> Outcome {
        let found = streams.enumerated().map { number, name in
            StreamSummary(number: Int64(number), name: StreamName(unchecked: name), records: 1, bytes: 3_000)
        }
        return outcome(scheduler.requested(round, scope: scope, streams: found, policy: policy, at: now))
    }

    mutating func end(_ stream: String, _ error: RecorderError? = nil, delivered: Int = 0) -> Outcome {
        let name = StreamName(unchecked: stream)
        var report = FlushReport()
        report.delivered = delivered
        report.failures = error.map { [FlushReport.Failure(stream: name, error: $0)] } ?? []
        return outcome(scheduler.ended(name, report: report, at: now))
    }

    mutating func answer() -> Outcome { outcome(scheduler.answered()) }

    mutating func stop(isCancelled: Bool) -> Outcome {
        outcome(isCancelled ? scheduler.cancelled() : scheduler.stopped())
    }

    private func outcome(_ actions: [StreamScheduler.Action]) -> Outcome {
        var outcome = Outcome()
        for action in actions {
            switch action {
            case .start(let stream, _): outcome.started.append(stream.name.rawValue)
            case .end(let round, let report, let untried):
                outcome.rounds.append(round)
                outcome.omitted += report.omitted.map(\.rawValue)
                outcome.untried += untried.map(\.rawValue)
                outcome.failed += report.failures.map(\.stream.rawValue)
            }
        }
        return outcome
    }
}
