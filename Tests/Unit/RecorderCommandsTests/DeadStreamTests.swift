import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// A stream that does not exist stops its own flow only.
@Suite(.timeLimit(.minutes(5))) struct DeadStreamTests {
    /// A Kinesis without the stream "dead", until that is created.
    private final class Service: Sendable {
        private final class State: Sendable {
            private let state = Locked((isCreated: false, lines: [String: [String]]()))

            func lines(of stream: String) -> [String] { state.withLock { $0.lines[stream] ?? [] } }
            func create() { state.withLock { $0.isCreated = true } }

            func answer(_ request: ReceivedRequest) -> Reply {
                let body = PutRequestBody(request.body)
                return state.withLock { state in
                    guard body.stream != "dead" || state.isCreated else {
                        return .error(400, "ResourceNotFoundException")
                    }
                    state.lines[body.stream, default: []] += body.records.map {
                        String(decoding: $0.data, as: UTF8.self)
                    }
                    let entries = body.records.map { _ in #"{"SequenceNumber":"1","ShardId":"s"}"# }
                    return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
                }
            }
        }

        private let state = State()
        private let server: LocalServer

        init() throws {
            let state = state
            server = try LocalServer { request, _ in state.answer(request) }
        }

        var url: String { server.url }
        func lines(of stream: String) -> [String] { state.lines(of: stream) }
        func create() { state.create() }
    }

    private func lines(_ count: Int, _ name: String) -> [String] {
        (0..<count).map { "\(name) \($0) " + String(repeating: "x", count: 80) + "\n" }
    }

    @Test func `of two flows one delivers every line while the stream of the other is missing, and both do in the end`()
        async throws
    {
        let service = try Service()
        let tool = try Tool(to: service.url)
        let (file, metrics) = (tool.home.path("agent.json"), tool.home.path("recorder.prom"))
        let (dead, healthy) = (lines(20_000, "dead"), lines(10_000, "healthy"))
        try Data(dead.joined().utf8).write(to: URL(fileURLWithPath: tool.home.path("dead.log")))
        try Data().write(to: URL(fileURLWithPath: tool.home.path("healthy.log")))
        let flows = ["dead", "healthy"].map {
            #"{"filePattern":"\#(tool.home.path($0)).log","kinesisStream":"\#($0)","initialPosition":"START_OF_FILE","maxBufferAgeMillis":1000}"#
        }
        try Data(#"{"flows":[\#(flows.joined(separator: ","))]}"#.utf8).write(to: URL(fileURLWithPath: file))
        let running = try tool.start(["agent", "-c", file, "--limit", "1025K", "--metrics-file", metrics])
        try await waitUntil { running.printedErrors.contains("reading for dead stops: the store is at its --limit") }

        let start = ContinuousClock.now
        try Data(healthy.joined().utf8).write(to: URL(fileURLWithPath: tool.home.path("healthy.log")))
        try await waitUntil { service.lines(of: "healthy").count >= healthy.count }
        print("two flows: 10,000 lines of the healthy one took \(ContinuousClock.now - start)")
        #expect(service.lines(of: "healthy") == healthy)
        #expect(service.lines(of: "dead").isEmpty)
        var shown = try PrometheusReader(try String(contentsOfFile: metrics, encoding: .utf8))
        try await waitUntil {
            guard let text = try? String(contentsOfFile: metrics, encoding: .utf8) else { return false }
            guard let new = try? PrometheusReader(text) else { return false }
            shown = new
            return shown.sum("flow_unread_bytes") > 100_000 && shown.sum("flow_paused") == 1
                && shown.sum("flow_oldest_unread_age_seconds") > 0
        }
        #expect(shown.sum("flow_paused") == 1 && shown.sum("stream_failing") == 1)
        #expect(shown.sum("flow_unread_bytes") > 100_000)

        service.create()
        // The stream is tried again within a minute.
        try await waitUntil(within: .seconds(200)) { service.lines(of: "dead").count >= dead.count }
        #expect(service.lines(of: "dead") == dead)
        _ = running.signal(SIGTERM)
        let ran = await running.end()
        #expect(ran.status == 0)
        #expect(ran.err.components(separatedBy: "reading for dead stops").count == 2, "\(ran.err)")
        #expect(!ran.err.contains("reading for healthy stops"), "\(ran.err)")
    }

    @Test func `follow and save count the same, and a followed line stays when others are saved up to the limit`()
        async throws
    {
        let logs = try FollowedLogs()
        try logs.append((0..<5_000).map { "\($0)\n" }.joined())
        let running = try logs.start(logs.path("app.log"), "--limit", "200000", "--max-record", "100K")
        try await waitUntil { running.printedErrors.contains("at its --limit") }
        #expect(await logs.stop(running).status == 0)
        let followed = logs.stored
        // Each takes its digits, a key of 36 bytes, and 64.
        let bytes = followed.reduce(0) { $0 + $1.utf8.count + 100 }
        #expect(bytes <= 200_000 && bytes > 180_000)
        _ = try await logs.tool.run(
            "save",
            "app",
            "--limit",
            "200K",
            "--max-record",
            "100K",
            input: Data("saved\n".utf8)
        )
        #expect(logs.stored == followed + ["saved"])
    }
}
