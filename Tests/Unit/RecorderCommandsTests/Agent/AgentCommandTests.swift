import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// `agent`: configurations of the Kinesis Agent, run with a local service.
@Suite(.timeLimit(.minutes(3))) struct AgentCommandTests {
    private struct Arrival: Sendable {
        let stream: String
        let text: String
        let key: String?
        let authorization: String
    }

    private let server: LocalServer
    private let arrivals: AsyncStream<Arrival>
    private var tool: Tool

    init() throws {
        let (arrivals, continuation) = AsyncStream<Arrival>.makeStream()
        self.arrivals = arrivals
        server = try LocalServer { request, _ in
            let body = PutRequestBody(request.body)
            let authorization = request.header("Authorization") ?? ""
            for record in body.records {
                let text = String(decoding: record.data, as: UTF8.self)
                continuation.yield(
                    Arrival(stream: body.stream, text: text, key: record.partitionKey, authorization: authorization)
                )
            }
            let entries = body.records.map { _ in #"{"SequenceNumber":"1","ShardId":"s","RecordId":"1"}"# }
            let list = entries.joined(separator: ",")
            let names =
                request.operation == "PutRecords"
                ? ("FailedRecordCount", "Records") : ("FailedPutCount", "RequestResponses")
            return .json(200, #"{"\#(names.0)":0,"\#(names.1)":[\#(list)]}"#)
        }
        tool = try Tool(to: server.url)
    }

    /// Starts the agent, and waits until it follows its files.
    private mutating func start(_ configuration: String, _ options: [String] = []) async throws -> RunningTool {
        let path = tool.home.path("agent.json")
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: path))
        let socket = try NotifySocket("@recorder-test-\(UUID().uuidString)")
        tool.environment["NOTIFY_SOCKET"] = socket.name
        let running = try tool.start(["agent", "--configuration", path] + options)
        #expect(await socket.next().hasPrefix("READY=1\n"))
        return running
    }

    private func append(_ text: String, to name: String) throws {
        let path = tool.home.path(name)
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
        let file = try #require(FileHandle(forWritingAtPath: path))
        _ = try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private func next(_ count: Int) async -> [Arrival] {
        var found: [Arrival] = []
        for await arrival in arrivals {
            found.append(arrival)
            if found.count == count { break }
        }
        return found
    }

    /// The number of records in a store.
    private func stored(in store: String) -> Int {
        let path = tool.home.path(".local/state/kinesis-recorder/com.amazonaws.\(store).db")
        return (try? StoredRecord.all(at: path))?.count ?? 0
    }

    private func stop(_ running: RunningTool) async -> Tool.Ran {
        _ = running.signal(SIGTERM)
        return await running.end()
    }

    @Test mutating func `a typed --entry-size comes before the file's aggregatedRecordSizeBytes`() async throws {
        try append(String(repeating: String(repeating: "x", count: 499) + "\n", count: 8), to: "app.log")
        let flow = #""deliveryStream": "app", "initialPosition": "START_OF_FILE", "aggregatedRecordSizeBytes": 1024"#
        let running = try await start(
            #"{"flows": [{"filePattern": "\#(tool.home.path("app.log"))", \#(flow)}]}"#,
            ["--pack", "--entry-size", "10K"]
        )
        #expect(await next(1).map(\.text.utf8.count) == [4_000])
        #expect(await stop(running).status == 0)
    }

    @Test mutating func `the published example sends new lines of two files to two services, once`() async throws {
        let example = publishedAgentExample.replacingOccurrences(of: "/tmp/", with: tool.home.path(""))
        try append("old\n", to: "app1.log")
        for round in 1...2 {
            let running = try await start(example, ["--endpoint-url", server.url])
            try append("one \(round)\n", to: "app1.log")
            try append("two \(round)\n", to: "app2.log")
            // By default the agent sends after a minute; what is stored then is sent by hand here.
            try await waitUntil {
                stored(in: "AWSKinesisRecorder/kinesis") == 1 && stored(in: "AWSKinesisRecorder/firehose") == 1
            }
            let ran = await stop(running)
            #expect(ran.status == 0, "\(ran)")
            #expect(ran.err.components(separatedBy: "CloudWatch metrics are not sent").count == 2)
            _ = try await tool.run("submit")
            let found = Set(await next(2).map { "\($0.stream): \($0.text)" })
            #expect(found == ["yourkinesisstream: one \(round)\n", "yourfirehosedeliverystream: two \(round)\n"])
        }
    }

    @Test mutating func `each option of a flow has its effect on what arrives`() async throws {
        try append("header\n[1] a\n  at x \n[2] \(String(repeating: "b", count: 1_100_000))\n[3] c\n", to: "app.log")
        let configuration = #"""
            // keys of the file come before those of the environment
            { "awsAccessKeyId": "AKIDOFTHEFILE", "awsSecretAccessKey": "secret", "kinesis.region": "eu-west-3",
              "kinesis.endpoint": "\#(server.url)", "cloudwatch.emitMetrics": false,
              "flows": [ { "filePattern": "\#(tool.home.path("app.log*"))", "kinesisStream": "s",
                "initialPosition": "START_OF_FILE", "multiLineStartPattern": "\\[\\d", "skipHeaderLines": 1,
                "partitionKeyOption": "DETERMINISTIC", "truncatedRecordTerminator": "~\n", "maxBufferAgeMillis": 1000,
                "maxBufferSizeBytes": 4194304, "maxBufferSizeRecords": 500, "minTimeBetweenFilePollsMillis": 100,
                "dataProcessingOptions": [ { "optionName": "SINGLELINE" } ] } ] }
            """#
        let running = try await start(configuration)
        let found = await next(2)
        #expect(found[0].text == "[1] aat x\n")
        // md5sum of the line.
        #expect(found[0].key == "1bc104f6d8806169ba79e2127845f0e5")
        #expect(
            found[1].text.hasPrefix("[2] bbb") && found[1].text.hasSuffix("bb~\n")
                && found[1].text.utf8.count <= 1 << 20
        )
        #expect(found[0].authorization.contains("Credential=AKIDOFTHEFILE/"))
        #expect(found[0].authorization.contains("/eu-west-3/kinesis/"))
        let ran = await stop(running)
        #expect(ran.status == 0 && !ran.err.contains("secret"), "\(ran)")
    }

    @Test mutating func `the files of all flows into a stream are counted`() async throws {
        for name in ["a.log", "b.log"] { try append("x\n", to: name) }
        var flows = ["a", "b"].map { #"{"filePattern": "\#(tool.home.path("\($0)*.log"))", "kinesisStream": "app"}"# }
        flows.append(#"{"filePattern": "\#(tool.home.path("*.log"))", "deliveryStream": "app"}"#)
        let running = try await start(#"{"flows": [\#(flows.joined(separator: ","))]}"#)
        let ran = await stop(running)
        #expect(ran.err.contains("following 2 files into app."), "\(ran)")
        #expect(!ran.err.contains("following 4 files"), "\(ran)")
    }

    @Test mutating func `files that are gone are not counted`() async throws {
        for name in ["a1.log", "a2.log"] { try append("x\n", to: name) }
        let flows = ["a", "b"].map { #"{"filePattern": "\#(tool.home.path("\($0)*.log"))", "kinesisStream": "app"}"# }
        let running = try await start(#"{"flows": [\#(flows.joined(separator: ","))]}"#)
        try await waitUntil { try tool.positions().count == 2 }
        for name in ["a1.log", "a2.log"] { try FileManager.default.removeItem(atPath: tool.home.path(name)) }
        try await waitUntil { try tool.positions().isEmpty }
        try append("y\n", to: "b.log")
        try await waitUntil { running.printedErrors.contains("following 1 file into app.") }
        let ran = await stop(running)
        #expect(!ran.err.contains("following 3 files"), "\(ran)")
    }

    @Test mutating func `rotated files are read once, compressed ones not`() async throws {
        let configuration = #"""
            { "cloudwatch.emitMetrics": false, "kinesis.endpoint": "\#(server.url)", "flows": [
                { "filePattern": "\#(tool.home.path("app.log*"))", "kinesisStream": "s", "initialPosition": "START_OF_FILE",
                  "maxBufferAgeMillis": 1000 } ] }
            """#
        try append("1\n2\n", to: "app.log")
        try append("no\n", to: "app.log.7.gz")
        let running = try await start(configuration)
        var texts = await next(2).map(\.text)
        try FileManager.default.moveItem(atPath: tool.home.path("app.log"), toPath: tool.home.path("app.log.1"))
        try append("3\n", to: "app.log.1")
        try append("4\n", to: "app.log")
        texts += await next(2).map(\.text)
        #expect(texts.sorted() == ["1\n", "2\n", "3\n", "4\n"])
        #expect(await stop(running).status == 0)
    }

    @Test(arguments: [
        (
            #"{"flows":[{"filePattern":"/a","kinesisStream":"s","dataProcessingOptions":[{"optionName":"CSVTOJSON"}]}]}"#,
            "CSVTOJSON"
        ),
        (#"{"flows":[{"filePattern":"/a","kinesisStream":"s p"}]}"#, "stream name"), ("{", "This is not JSON"),
    ])
    func `a configuration that cannot be run is an error that names the file`(text: String, reason: String) async throws
    {
        let path = tool.home.path("agent.json")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let ran = try await tool.run("agent", "-c", path)
        #expect(ran.status != 0 && ran.err.contains(reason), "\(ran)")
    }

    @Test func `a limit without room for a record is a wrong command line, and no line is read`() async throws {
        try append("\(String(repeating: "x", count: 200))\n", to: "app.log")
        let path = tool.home.path("agent.json")
        let flow = #"{"filePattern":"\#(tool.home.path("app.log"))","initialPosition":"START_OF_FILE","#
        try Data(#"{"flows":[\#(flow)"kinesisStream":"s"},\#(flow)"deliveryStream":"s"}]}"#.utf8)
            .write(to: URL(fileURLWithPath: path))
        for limit in ["50", "120", "1048639"] {
            let ran = try await tool.run("agent", "-c", path, "--limit", limit)
            #expect(ran.status == 64, "\(ran)")
            #expect(
                ran.err.contains("--limit \(limit): a record may take 1,048,640 bytes. Give at least that."),
                "\(ran)"
            )
        }
        #expect(try await tool.run("agent", "-c", path, "--limit", "1048640", "--dry-run").status == 0)
        #expect(stored(in: "AWSKinesisRecorder/kinesis") == 0 && stored(in: "AWSKinesisRecorder/firehose") == 0)
    }

    @Test func `a dry run checks the configuration and names the files, and stores nothing`() async throws {
        try append("1\n", to: "app.log")
        try append("2\n", to: "app.log.1")
        let path = tool.home.path("agent.json")
        let (logs, none) = (tool.home.path("app.log*"), tool.home.path("none.log"))
        let flows = [(logs, "kinesisStream"), (none, "deliveryStream")].map { pattern, kind in
            #"{"filePattern":"\#(pattern)","\#(kind)":"s"}"#
        }
        let text = #"{"flows":[\#(flows.joined(separator: ","))],"cloudwatch.endpoint":"x"}"#
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let ran = try await tool.run("agent", "-c", path, "--dry-run")
        let lines = ran.out.split(separator: "\n")
        #expect(ran.status == 0 && ran.err.contains("cloudwatch.*"), "\(ran)")
        #expect(lines.count == 5 && lines[0].hasPrefix("\(logs) to kinesis s, from their ends"), "\(ran)")
        #expect(Set(lines[1...2].map { $0.hasSuffix(".log, 2 B") || $0.contains(".log.1, 2 B") }) == [true])
        #expect(lines[3].hasPrefix("\(none) to firehose s") && lines[4] == "  no file yet")
        #expect(!FileManager.default.fileExists(atPath: tool.home.path(".local/state/kinesis-recorder")))
    }

    @Test func `a file that cannot be read is an error`() async throws {
        for path in [tool.home.path("missing.json"), tool.home.path] {
            let ran = try await tool.run("agent", "-c", path)
            #expect(ran.status == 66 && ran.err.contains("\(path) cannot be read"), "\(ran)")
        }
        #expect(try await tool.run("agent").err.contains("--configuration"))
    }
}
