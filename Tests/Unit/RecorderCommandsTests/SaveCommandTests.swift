import Foundation
import RecorderTestSupport
import Testing

/// `save` as a process: the input is stored and sent byte for byte.
@Suite(.timeLimit(.minutes(10))) struct SaveCommandTests {
    private let longest = 1_024_000

    @Test func `each line becomes a record, the last one even without a newline`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("cli-lines")
        let tool = try Tool(to: moto.url)
        let lines = (0..<3_000).map { "line \($0)" } + [""] + ["\u{1F980} and \u{0}"]
        let saved = try await tool.run(
            "save",
            "cli-lines",
            "-p",
            "one",
            input: Data(lines.joined(separator: "\n").utf8)
        )
        #expect(saved.status == 0 && saved.err == "")
        #expect(saved.out.hasPrefix("saved 3,002 records to cli-lines in "))
        let sent = try await tool.run("submit")
        #expect(sent.status == 0)
        #expect(sent.out.hasPrefix("kinesis: 3,002 records delivered in "))
        #expect(try await moto.kinesisRecords("cli-lines").map(\.text) == lines)
        #expect(try await tool.run("submit").out.hasPrefix("nothing is stored in "))
    }

    @Test func `with --cbor, save and submit send binary requests to Kinesis, and JSON to Firehose`() async throws {
        let moto = try await MotoServer.shared()
        for stream in ["cli-cbor", "cli-json"] { try await moto.createStream(stream) }
        try await moto.createDeliveryStream("cli-cbor")
        let tool = try Tool(to: moto.url)
        let (first, second) = (Data([0xFF, 0x00, 0x41]), Data([0xC3, 0x28]))
        #expect(try await tool.run("save", "cli-cbor", "--submit", "--cbor", input: first).status == 0)
        _ = try await tool.run("save", "cli-cbor", input: second)
        _ = try await tool.run("save", "cli-cbor", "-F", input: second)
        let sent = try await tool.run("submit", "--cbor")
        #expect(sent.status == 0 && sent.err == "")
        _ = try await tool.run("save", "cli-json", "--submit", input: first)
        #expect(try await moto.kinesisRecords("cli-cbor").map(\.data) == [first, second])
        #expect(
            try await moto.requests("cli-cbor").map { "\($0.service) \($0.format)" }.sorted() == [
                "firehose json", "kinesis cbor", "kinesis cbor",
            ]
        )
        #expect(try await moto.requests("cli-json").map(\.format) == ["json"])
    }

    @Test func `an endpoint that does not understand --cbor gets JSON, and one warning says so`() async throws {
        let server = try LocalServer { request, _ in
            guard !request.isCBOR else { return .html(415, "<p>Unsupported Media Type</p>") }
            let entries = PutRequestBody(request.body).records.map { _ in #"{"SequenceNumber":"1"}"# }
            return .json(200, #"{"Records":[\#(entries.joined(separator: ","))]}"#)
        }
        let tool = try Tool(to: server.url)
        let lines = (0..<1_200).map(String.init).joined(separator: "\n")
        _ = try await tool.run("save", "old", input: Data(lines.utf8))
        let sent = try await tool.run("submit", "--cbor")
        #expect(sent.status == 0 && sent.out.hasPrefix("kinesis: 1,200 records delivered in "))
        let warnings = sent.err.split(separator: "\n")
        #expect(warnings.count == 1 && warnings.first?.contains("does not understand requests in CBOR") == true)
        #expect(server.requests.map(\.isCBOR) == [true, false, false, false])
    }

    @Test func `newlines are kept for Firehose, and for Kinesis on request`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createDeliveryStream("cli-firehose")
        try await moto.createStream("cli-kept")
        let tool = try Tool(to: moto.url)
        #expect(try await tool.run("save", "cli-firehose", "-F", "-q", input: Data("a\nb".utf8)).out == "")
        _ = try await tool.run("save", "cli-kept", "--keep-delimiter", "--delimiter", "\\0", input: Data("x\0y".utf8))
        let sent = try await tool.run("submit")
        #expect(sent.out.contains("kinesis: 2 records") && sent.out.contains("firehose: 2 records"))
        #expect(try await moto.firehoseBytes("cli-firehose") == Array("a\nb\n".utf8))
        #expect(Set(try await moto.kinesisRecords("cli-kept").map(\.text)) == ["x\0", "y\0"])
    }

    @Test func `a line over the limit is refused and named, the others are saved`() async throws {
        let tool = try Tool()
        let input =
            Data(repeating: 97, count: longest) + [10] + Data(repeating: 98, count: longest + 1) + Data("\nc".utf8)
        let ran = try await tool.run("save", "app", input: input)
        #expect(ran.status == 65)
        #expect(ran.err.contains("record 2 is 1,024,001 bytes; the limit is 1,024,000."))
        #expect(ran.out.contains("saved 2 records") && ran.out.contains("; refused 1"))
    }

    @Test func `with --submit records arrive while the input is still open`() async throws {
        let server = try LocalServer { request, _ in
            let count = request.text.components(separatedBy: "\"PartitionKey\"").count - 1
            let entry = #"{"SequenceNumber":"1","ShardId":"s"}"#
            let entries = Array(repeating: entry, count: count).joined(separator: ",")
            return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries)]}"#)
        }
        let running = try Tool(to: server.url).start(["save", "app", "--submit"])
        running.write(Data("first\n".utf8))
        await server.received(1)
        running.write(Data("last\n".utf8))
        let ran = await running.end()
        #expect(ran.status == 0 && ran.err == "")
        #expect(ran.out.hasPrefix("saved 2 records"), "\(ran.out)")
        #expect(server.requests.count >= 2)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends the reading, and what was read is saved and counted`(number: Int32) async throws {
        let server = try LocalServer { _, _ in .stall }
        // When the submit sends its request, the first line has been read and stored.
        let tool = try Tool(to: server.url)
        let running = try tool.start(["save", "app", "--submit"])
        running.write(Data("one\ntwo\ncut o".utf8))
        await server.received(1)
        server.stop()
        #expect(running.signal(number) == 0)
        let ran = await running.end(closesInput: false)
        #expect(ran.status == 128 + number)
        #expect(ran.err.contains("the last record was cut off by the signal"))
        #expect(ran.out.hasPrefix("saved 2 records"))
        #expect(try await tool.run("status", "--json").out.contains("\"records\" : 2"))
    }

    @Test func `a signal while a file is read from standard input says what is not saved`() async throws {
        let server = try LocalServer { _, _ in .stall }
        let tool = try Tool(to: server.url)
        let path = tool.home.path("input")
        try tool.write("input", "one\ntwo\n")
        // Holes, which no program reads to their end.
        #expect(truncate(path, 1 << 40) == 0)
        let running = try tool.start(
            under: ["/bin/sh", "-c", "exec \"$0\" \"$@\" < \(path)"],
            ["save", "app", "--submit"]
        )
        await server.received(1)
        server.stop()
        #expect(running.signal(SIGTERM) == 0)
        let ran = await running.end()
        #expect(ran.status == 128 + SIGTERM && ran.err.contains("Send the rest again."), "\(ran)")
    }

    @Test func `a signal after a whole file was read from standard input leaves nothing to save`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            let entry = #"{"SequenceNumber":"1","ShardId":"shardId-000000000000"}"#
            let entries = PutRequestBody(request.body).texts.map { _ in entry }.joined(separator: ",")
            return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries)]}"#)
        }
        let tool = try Tool(to: server.url)
        try tool.write("input", "one\ntwo\n")
        let running = try tool.start(
            under: ["/bin/sh", "-c", "exec \"$0\" \"$@\" < \(tool.home.path("input"))"],
            ["save", "app", "--submit"]
        )
        await server.received(1)
        #expect(running.signal(SIGTERM) == 0)
        gate.open()
        let ran = await running.end()
        #expect(ran.status == 0 && !ran.err.contains("Send the rest again."), "\(ran)")
    }

    @Test func `a signal ends the wait for a FIFO that nothing writes to`() async throws {
        let tool = try Tool()
        let path = tool.home.path("fifo")
        #expect(mkfifo(path, 0o600) == 0)
        let running = try tool.start(["save", "app", "--file", path])
        // The store is opened after the signal handlers are set, and before the input is opened.
        let store = tool.home.path(".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/kinesis.db")
        while !FileManager.default.fileExists(atPath: store) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(running.signal(SIGTERM) == 0)
        let ran = await running.end()
        #expect(ran.status == 128 + SIGTERM && ran.out.hasPrefix("saved 0 records") && ran.err == "", "\(ran)")
    }

    @Test func `a lowered limit holds when the command ends, however much must be discarded`() async throws {
        let tool = try Tool()
        let lines = String(repeating: "0123456789\n", count: 60_000)
        #expect(try await tool.run("save", "app", "-q", input: Data(lines.utf8)).status == 0)
        let ran = try await tool.run("save", "app", "--limit", "100K", "--max-record", "1K", input: Data("last\n".utf8))
        #expect(ran.status == 0 && ran.err.contains("the store is at its limit"), "\(ran)")
        let status = try await tool.run("status", "--json").out
        let bytes = try #require(status.firstMatch(of: /"bytes" : (\d+)/)?.1)
        #expect(try #require(Int(bytes)) <= 100 * 1_024, "\(status)")
    }

    @Test func `a directory as input is an error`() async throws {
        let tool = try Tool()
        let ran = try await tool.run("save", "app", "--file", tool.home.path)
        #expect(ran.status == 66 && ran.err.contains("cannot be read: Is a directory."), "\(ran)")
        #expect(!ran.err.contains("--from-byte"))
    }

    @Test func `another program's store is opened by its name and key`() async throws {
        let tool = try Tool()
        _ = try await tool.run("save", "app", "--name", "uploader", "--key", "k1", input: Data("a\n".utf8))
        let path = ".local/state/uploader/com.amazonaws.AWSKinesisRecorder/kinesis-k1.db"
        #expect(FileManager.default.fileExists(atPath: tool.home.path(path)))
        let list = try await tool.run("list")
        #expect(list.out.contains("uploader  kinesis   k1        1"))
    }
}
