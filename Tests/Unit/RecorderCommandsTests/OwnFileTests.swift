import Foundation
import RecorderTestSupport
import Testing

/// Files that the tool writes replace only what the tool wrote there before.
@Suite(.timeLimit(.minutes(5))) struct OwnFileTests {
    private let tool: Tool
    private let store: String

    init() async throws {
        tool = try Tool(to: "http://127.0.0.1:1")
        store = tool.home.path("store")
        _ = try await tool.run("save", "app", "-d", store, input: Data("a\n".utf8))
    }

    /// What must stay as it is: a path, and what the message says of it.
    private func foreign() throws -> [(path: String, problem: String)] {
        let (text, directory) = (tool.home.path("notes.txt"), tool.home.path("directory"))
        let (pipe, link) = (tool.home.path("pipe"), tool.home.path("link"))
        // The superuser could replace the real one.
        let own = tool.home.path("null")
        let null = geteuid() == 0 && mknod(own, S_IFCHR | 0o600, 1 << 8 | 3) == 0 ? own : "/dev/null"
        try Data("kept\n".utf8).write(to: URL(fileURLWithPath: text))
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        #expect(mkfifo(pipe, 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: text)
        let parts = ["kinesis.db", "kinesis.db.lock", "kinesis.db-wal", "firehose.db", "kinesis-other.db.submit"]
        return parts.map { ("\(store)/\($0)", "this is the name of a record store's file") } + [
            (text, "this file is of another kind, and would be replaced"), (directory, "this is a directory"),
            (pipe, "this is not a regular file"), (null, "this is not a regular file"),
            (link, "this is a symbolic link to \(text)"),
        ]
    }

    @Test func `a metrics file replaces no store, no other file, no directory, pipe, device or link`() async throws {
        for (path, problem) in try foreign() {
            for command in [["submit"], ["save", "app"]] {
                let ran = await (try tool.start(command + ["-d", store, "--metrics-file", path])).end()
                #expect(ran.status == 64 && ran.err.contains("--metrics-file \(path)"), "\(ran)")
                #expect(ran.err.contains(problem), "\(ran)")
            }
        }
        try await expectUnchanged()
    }

    @Test func `a checkpoint of an audit replaces none of these either`() async throws {
        for (path, problem) in try foreign() {
            let ran = try await tool.run("audit", "app", "--checkpoint", path)
            #expect(ran.status == 66 && ran.err.contains("--checkpoint \(path) cannot be used: \(problem)"), "\(ran)")
        }
        try await expectUnchanged()
    }

    @Test func `a dry run, and a command that does not begin, leave the metrics of a running one`() async throws {
        let (metrics, agent) = (tool.home.path("recorder.prom"), tool.home.path("agent.json"))
        let text = "# HELP kinesis_recorder_build_info What runs.\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: metrics))
        try Data(#"{"flows":[{"filePattern":"/a","kinesisStream":"s"}]}"#.utf8).write(to: URL(fileURLWithPath: agent))
        for (words, status) in [
            (["follow", "app", tool.home.path("app.log"), "--dry-run"], 0), (["agent", "-c", agent, "--dry-run"], 0),
            (["follow", "app", tool.home.path], 66), (["save", "app", "--endpoint-url", "x", "--submit"], 78),
        ] as [([String], Int32)] {
            let ran = await (try tool.start(words + ["--metrics-file", metrics])).end()
            #expect(ran.status == status, "\(ran)")
            #expect(try String(contentsOfFile: metrics, encoding: .utf8) == text, "\(words)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: tool.home.path)
        #expect(!files.contains { $0.hasSuffix(".tmp") }, "\(files)")
    }

    private func expectUnchanged() async throws {
        #expect(try String(contentsOfFile: tool.home.path("notes.txt"), encoding: .utf8) == "kept\n")
        #expect(try await tool.run("verify", "-d", store).status == 0)
        #expect(try await tool.run("status", "-d", store).out.contains("1 record"))
    }

    @Test func `a metrics file and a checkpoint of an earlier run are replaced, and so are empty files`() async throws {
        let (metrics, checkpoint) = (tool.home.path("recorder.prom"), tool.home.path("audit.json"))
        for path in [metrics, checkpoint] { try Data().write(to: URL(fileURLWithPath: path)) }
        for _ in 1...2 {
            #expect(try await tool.run("submit", "-d", store, "--metrics-file", metrics).status == 75)
            #expect(try String(contentsOfFile: metrics, encoding: .utf8).hasPrefix("# HELP kinesis_recorder_"))
            #expect(try await tool.run("audit", "app", "--checkpoint", checkpoint).status == 75)
            #expect(try String(contentsOfFile: checkpoint, encoding: .utf8).hasPrefix(#"{"streams":"#))
        }
    }

    @Test func `a file of another kind that appears at the path during a run stays, and is named once`() async throws {
        let service = try AcceptingService()
        var tool = tool
        tool.environment["AWS_ENDPOINT_URL"] = service.url
        let path = tool.home.path("recorder.prom")
        let running = try tool.start(["submit", "-d", store, "--watch", "1", "--metrics-file", path])
        await service.received(1)
        try FileManager.default.removeItem(atPath: path)
        try Data("kept\n".utf8).write(to: URL(fileURLWithPath: path))
        for count in 2...3 {
            _ = try await tool.run("save", "app", "-d", store, input: Data("b\n".utf8))
            await service.received(count)
        }
        _ = running.signal(SIGTERM)
        let ran = await running.end()
        #expect(ran.status == 0 && ran.err.split(separator: "\n").count == 1, "\(ran)")
        #expect(ran.err.contains("--metrics-file \(path) cannot be written: this file is of another kind"), "\(ran)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "kept\n")
    }

    @Test func `a checkpoint that cannot be written is an error before anything is read, in words`() async throws {
        let server = try LocalServer { _, _ in .error(400, "ResourceNotFoundException") }
        var tool = tool
        tool.environment["AWS_ENDPOINT_URL"] = server.url
        let ran = try await tool.run("audit", "app", "--checkpoint", tool.home.path("missing/audit.json"))
        #expect(ran.status == 66 && ran.err.contains("cannot be used: No such file or directory."), "\(ran)")
        #expect(!ran.err.contains("Error Domain") && server.requests.isEmpty, "\(ran)")
    }
}
