import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// The rules for records as options of `save`.
@Suite(.timeLimit(.minutes(2))) struct SaveRulesTests {
    private func stored(_ tool: Tool) throws -> [StoredRecord] {
        let directory = ".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder"
        return try StoredRecord.all(at: tool.home.path("\(directory)/kinesis.db"))
    }

    @Test func `each record has the key of its JSON member, others one of their own, and that is told once`()
        async throws
    {
        let tool = try Tool()
        let lines = [#"{"id":"a","n":1}"#, #"{"id":7}"#, "plain", #"{"id":"a"}"#, "[]", ""].joined(separator: "\n")
        let ran = try await tool.run("save", "app", "--partition-key-field", "id", input: Data(lines.utf8))
        #expect(ran.status == 0)
        #expect(
            ran.out.hasPrefix("saved 5 records to app in ") && ran.out.hasSuffix("; 2 without the text for their key\n")
        )
        #expect(ran.err.split(separator: "\n").count == 1 && ran.err.contains("record 3 has no member \"id\""))
        let records = try stored(tool)
        #expect(records.map(\.key) == ["a", "7", nil, "a", nil])
        #expect(
            records.map { String(decoding: $0.data, as: UTF8.self) } == lines.split(separator: "\n").map(String.init)
        )
    }

    @Test func `the keys arrive at the service`() async throws {
        let keys = Locked<[String?]>([])
        let server = try LocalServer { request, _ in
            let records = PutRequestBody(request.body).records
            keys.withLock { $0 += records.map(\.partitionKey) }
            let entries = records.map { _ in #"{"SequenceNumber":"1","ShardId":"s"}"# }.joined(separator: ",")
            return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries)]}"#)
        }
        let tool = try Tool(to: server.url)
        let lines = (0..<3_000).map { "device=\($0 % 7) n=\($0)" }.joined(separator: "\n")
        let ran = try await tool.run(
            "save",
            "app",
            "--partition-key-regex",
            #"device=(\d+)"#,
            "-s",
            input: Data(lines.utf8)
        )
        #expect(ran.status == 0 && ran.err == "")
        #expect(keys.withLock { $0 } == (0..<3_000).map { String($0 % 7) })
    }

    @Test func `a log with stack traces becomes a record for each entry, without those that are dropped`() async throws
    {
        let tool = try Tool()
        let log = "2026-01-01 a\n\tat x\n\tat y\n2026-01-02 health\n2026-01-03 b\n"
        try Data(log.utf8).write(to: URL(fileURLWithPath: tool.home.path("app.log")))
        let ran = try await tool.run(
            "save",
            "app",
            "-f",
            tool.home.path("app.log"),
            "--multiline-start",
            #"^\d{4}-"#,
            "--drop-matching",
            "health",
            "--skip-empty"
        )
        #expect(ran.status == 0 && ran.out.hasSuffix("; left out 1\n"), "\(ran)")
        #expect(
            try stored(tool).map { String(decoding: $0.data, as: UTF8.self) } == [
                "2026-01-01 a\n\tat x\n\tat y", "2026-01-03 b",
            ]
        )
    }

    @Test func `a search that takes too long is given up, told once and counted`() async throws {
        let tool = try Tool()
        let hostile = String(repeating: "a", count: 100) + "!\n"
        let metrics = tool.home.path("metrics.prom")
        let ran = try await tool.run(
            "save",
            "app",
            "--drop-matching",
            "(a+)+$",
            "--metrics-file",
            metrics,
            input: Data("b\n\(hostile)aa\n\(hostile)".utf8)
        )
        #expect(ran.status == 0 && ran.out.hasPrefix("saved 3 records to app in "), "\(ran)")
        #expect(ran.out.hasSuffix("; left out 1; 2 searches given up\n"))
        #expect(
            ran.err.split(separator: "\n").count == 1
                && ran.err.contains("record 2: the search for (a+)+$ took too long")
        )
        #expect(try String(contentsOfFile: metrics, encoding: .utf8).contains(/given_up_searches_total\{.*\} 2\n/))
    }

    @Test(arguments: [
        (["--partition-key-regex", "("], "--partition-key-regex (: missing closing parenthesis (at offset 1)."),
        (["--drop-matching", "é[b"], "--drop-matching é[b: missing terminating ] for character class (at offset 3)."),
        (["--partition-key", "a", "--partition-key-field", "b"], "--partition-key and --partition-key-field"),
        (["--partition-key-field", "b", "--firehose"], "--partition-key-field: Firehose has no partition keys."),
        (["--multiline-start", "a", "--delimiter", "none"], "--multiline-start: with --delimiter none"),
    ])
    func `rules that cannot be followed are an error before anything is read`(options: [String], message: String)
        async throws
    {
        let running = try Tool().start(["save", "app"] + options)
        let ran = await running.end(closesInput: false)
        #expect(ran.status == 64 && ran.err.contains(message), "\(ran)")
    }
}
