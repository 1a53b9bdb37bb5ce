import Foundation
import RecorderTestSupport
import Testing

/// What long runs print: lines for people, for systemd's journal and for programs, and one summary at the end.
@Suite(.timeLimit(.minutes(5))) struct LogTests {
    private struct Line: Decodable {
        let time: String
        let level: String
        let message: String
    }

    private struct Summary: Decodable {
        let saved: Int
        let delivered: Int
        let discarded: Int
        let left: Int
        let refused: Int
        let durationSeconds: Double
    }

    /// A service of which one stream does not exist.
    private static func service() throws -> LocalServer {
        try LocalServer { request, _ in
            let text = String(decoding: request.body, as: UTF8.self)
            guard !text.contains("missing") else { return .error(400, "ResourceNotFoundException") }
            let entries = PutRequestBody(request.body).records.map { _ in #"{"SequenceNumber":"1","ShardId":"s"}"# }
            return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
        }
    }

    /// A tool with a record for each of two streams.
    private static func tool(for service: LocalServer) async throws -> Tool {
        let tool = try Tool(to: service.url)
        for stream in ["app", "missing"] { _ = try await tool.run("save", stream, input: Data("a\n".utf8)) }
        return tool
    }

    private func decode<T: Decodable>(_ type: T.Type, _ text: some StringProtocol) throws -> T {
        try JSONDecoder().decode(T.self, from: Data(text.utf8))
    }

    // MARK: summaries

    @Test func `submit --json prints one object with what was delivered and what is left`() async throws {
        let service = try Self.service()
        let tool = try await Self.tool(for: service)
        let ran = try await tool.run("submit", "--json", "--quiet", "--rate", "10K")
        #expect(ran.status == 69, "\(ran)")
        let summary = try decode(Summary.self, ran.out)
        #expect(summary.saved == 0 && summary.delivered == 1 && summary.left == 1)
        #expect(summary.discarded == 0 && summary.refused == 0 && (0..<60).contains(summary.durationSeconds))
        let loud = try await tool.run("submit", "--json")
        #expect(try decode(Summary.self, loud.out).left == 1)
        #expect(loud.err.contains("kinesis: 0 records delivered"), "\(loud)")
    }

    @Test func `save --submit says how many records it delivered, in its summary and with --json`() async throws {
        let service = try Self.service()
        let tool = try Tool(to: service.url)
        let input = Data("a\n\(String(repeating: "b", count: 20))\nc\n".utf8)
        let text = try await tool.run("save", "app", "--submit", "--max-record", "10", input: input)
        #expect(text.status == 65 && text.out.contains("saved 2 records"), "\(text)")
        #expect(text.out.hasSuffix("; refused 1; delivered 2\n"), "\(text)")
        let json = try await tool.run("save", "app", "--submit", "--max-record", "10", "--json", input: input)
        let summary = try decode(Summary.self, json.out)
        #expect(summary.saved == 2 && summary.delivered == 2 && summary.left == 0 && summary.refused == 1)
        #expect(json.err.contains("saved 2 records"), "\(json)")
    }

    @Test func `save --json counts what its limit discarded`() async throws {
        let tool = try Tool()
        let ran = try await tool.run(
            "save",
            "app",
            "--limit",
            "130",
            "--max-record",
            "10",
            "--json",
            "-p",
            "k",
            input: Data("a\nb\n".utf8)
        )
        let summary = try decode(Summary.self, ran.out)
        #expect(summary.saved == 2 && summary.delivered == 0 && summary.discarded == 1 && summary.left == 1)
    }

    // MARK: lines

    @Test func `with --log-format json each line of standard error is an object, and standard output is empty`()
        async throws
    {
        let service = try Self.service()
        let tool = try await Self.tool(for: service)
        let ran = try await tool.run("submit", "--log-format", "json", "--verbose")
        let lines = try ran.err.split(separator: "\n").map { try decode(Line.self, $0) }
        #expect(ran.out == "" && ran.status == 69, "\(ran)")
        #expect(lines.contains { $0.level == "error" && $0.message.hasPrefix("kinesis: missing: ") })
        #expect(lines.contains { $0.level == "info" && $0.message.contains("1 record delivered") })
        #expect(lines.contains { $0.level == "debug" && $0.message.hasPrefix("send: kinesis stream app: 1 records") })
        #expect(lines.allSatisfy { $0.time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil })
        #expect(!ran.err.contains(Canary.secret))
    }

    @Test func `an unknown format is an error that names the known ones`() async throws {
        let ran = try await Tool().run("submit", "--log-format", "xml")
        #expect(ran.status == 64 && ran.err.contains("--log-format xml: give text or json."), "\(ran)")
    }

    @Test func `without --verbose no request is printed, and with it each one is`() async throws {
        let service = try Self.service()
        let tool = try await Self.tool(for: service)
        #expect(!(try await tool.run("submit").err.contains("send: ")))
        _ = try await tool.run("save", "app", input: Data("b\n".utf8))
        let ran = try await tool.run("submit", "-v")
        #expect(ran.err.contains("send: kinesis stream app: 1 records"), "\(ran)")
        #expect(try await tool.run("submit", "-v", "-q").status == 64)
    }

    @Test func `lines for systemd's journal have a priority`() async throws {
        let service = try Self.service()
        let tool = try await Self.tool(for: service)
        // As systemd does: the device and the number of the file that standard error is.
        let script = #"export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2); exec "$0" "$@""#
        let running = try tool.start(under: ["sh", "-c", script], ["submit", "--json", "--verbose"])
        let lines = await running.end().err.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("<3>kinesis-recorder: kinesis: missing: ") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("<6>kinesis: 1 record delivered") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("<7>send: ") } && lines.allSatisfy { $0.hasPrefix("<") }, "\(lines)")
        let usage = await (try tool.start(under: ["sh", "-c", script], ["submit", "--wach"])).end()
        #expect(usage.err.split(separator: "\n").allSatisfy { $0.hasPrefix("<3>") } && usage.status == 64, "\(usage)")
        var elsewhere = tool
        elsewhere.environment["JOURNAL_STREAM"] = "1:2"
        #expect(try await elsewhere.run("submit").err.hasPrefix("kinesis-recorder: "))
    }

    @Test func `what goes on by itself is a warning, what loses records an error`() async throws {
        let tool = try Tool(to: try AcceptingService().url)
        let script = #"export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2); exec "$0" "$@""#
        let log = tool.home.path("app.log")
        try Data("a\n".utf8).write(to: URL(fileURLWithPath: log))
        let flow = #"{"cloudwatch.emitMetrics":true,"flows":[{"filePattern":"\#(log)","kinesisStream":"app"}]}"#
        try Data(flow.utf8).write(to: URL(fileURLWithPath: tool.home.path("agent.json")))
        let agent = ["agent", "-c", tool.home.path("agent.json"), "--dry-run"]
        let warned = await (try tool.start(under: ["sh", "-c", script], agent)).end()
        #expect(warned.err.hasPrefix("<4>kinesis-recorder: warning: ") && !warned.err.contains("<3>"), "\(warned)")
        let save = try tool.start(
            under: ["sh", "-c", script],
            ["save", "app", "--limit", "130", "--max-record", "10", "-p", "k", "-q"]
        )
        save.write(Data("a\nb\n".utf8))
        let lost = await save.end()
        #expect(lost.err.hasPrefix("<3>kinesis-recorder: 1 record"), "\(lost)")
    }

    @Test func `the lines of a watch have a time, those of a single submit do not`() async throws {
        let service = try Self.service()
        let tool = try await Self.tool(for: service)
        #expect(try await tool.run("submit").err.hasPrefix("kinesis-recorder: kinesis: missing: "))
        let before = service.requests.count
        let running = try tool.start(["submit", "--watch", "1"])
        await service.received(before + 2)
        _ = running.signal(SIGTERM)
        let lines = await running.end().err.split(separator: "\n")
        let pattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ kinesis-recorder: kinesis: missing: .*/
        #expect(!lines.isEmpty && lines.allSatisfy { $0.wholeMatch(of: pattern) != nil }, "\(lines)")
    }
}
