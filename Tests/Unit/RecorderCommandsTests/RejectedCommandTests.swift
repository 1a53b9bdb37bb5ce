import Foundation
import RecorderTestSupport
import Testing

/// `--keep-rejected` and `rejected`: copies of records that the service did not accept.
@Suite(.timeLimit(.minutes(3))) struct RejectedCommandTests {
    private struct Line: Decodable, Hashable {
        let service: String
        let stream: String
        let partitionKey: String?
        let savedAt: String
        let storeID: String?
        let ordinal: Int64?
        let data: Data
        let code: String?
        let message: String?
        let rejectedAt: String?
    }

    private func lines(_ text: String) throws -> [Line] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    /// A service whose first answer rejects each record that begins with "bad", and which accepts all others.
    private func server() throws -> LocalServer {
        try LocalServer { request, index in
            let entries = PutRequestBody(request.body).texts.map { text in
                text.hasPrefix("bad") && index == 0
                    ? #"{"ErrorCode":"InvalidArgumentException","ErrorMessage":"too \u001b[1mbad"}"#
                    : #"{"SequenceNumber":"1","ShardId":"shardId-000000000000"}"#
            }
            return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
        }
    }

    /// A tool whose store has two copies.
    private func toolWithCopies(of server: LocalServer) async throws -> Tool {
        let tool = try Tool(to: server.url)
        let saved = try await tool.run(
            "save",
            "clicks",
            "--submit",
            "--keep-rejected",
            input: Data("good\nbad 1\nbad \u{1B}[0m2\n".utf8)
        )
        #expect(saved.err.contains("the service rejected them as invalid (InvalidArgumentException)"))
        return tool
    }

    @Test func `the copies are listed, and the status counts them`() async throws {
        let tool = try await toolWithCopies(of: try server())
        let listed = try await tool.run("rejected")
        #expect(listed.status == 0 && listed.err.isEmpty)
        let rows = listed.out.split(separator: "\n")
        try #require(rows.count == 4)
        #expect(rows[0].contains("kinesis, ") && rows[0].hasSuffix(": 2 copies of rejected records, 14 B of data"))
        #expect(rows[1].hasPrefix("STREAM ") && rows[1].hasSuffix("  DATA"))
        #expect(rows[2].hasPrefix("clicks  InvalidArgumentException  ") && rows[2].hasSuffix(" ago   5 B  bad 1"))
        #expect(rows[3].hasSuffix(#"bad \u{1b}[0m2"#))
        #expect(try await tool.run("status").out.contains("\n2 rejected records are kept: `kinesis-recorder rejected`"))
        #expect(try await tool.run("status", "--json").out.contains(#""rejectedCopies" : 2"#))
        for words in [["rejected", "other"], ["rejected", "--firehose"], ["rejected", "--restore", "other"]] {
            let none = await (try tool.start(words)).end()
            #expect(none.status == 0 && none.out.hasPrefix("no rejected records "), "\(words)")
        }
        #expect(try await Tool().run("rejected").out == "no rejected records are kept.\n")
    }

    @Test func `each rejection is reported while the command runs, one soon after another too`() async throws {
        let server = try LocalServer { request, _ in
            let entry = #"{"ErrorCode":"InvalidArgumentException","ErrorMessage":"no"}"#
            let entries = PutRequestBody(request.body).texts.map { _ in entry }.joined(separator: ",")
            return .json(200, #"{"FailedRecordCount":1,"Records":[\#(entries)]}"#)
        }
        let running = try Tool(to: server.url).start(["save", "clicks", "--submit"])
        for count in 1...2 {
            running.write(Data("bad \(count)\n".utf8))
            while running.printedErrors.components(separatedBy: " discarded: ").count <= count {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        #expect(await running.end().status == 0)
    }

    @Test func `without --keep-rejected there are none`() async throws {
        let tool = try Tool(to: try server().url)
        _ = try await tool.run("save", "clicks", "--submit", input: Data("good\nbad\n".utf8))
        #expect(try await tool.run("rejected").out == "no rejected records are kept.\n")
        #expect(try await tool.run("rejected", "--json").out.isEmpty)
        #expect(try await !tool.run("status").out.contains("kept"))
    }

    @Test func `import stores what --json prints, with the same keys and data`() async throws {
        let tool = try await toolWithCopies(of: try server())
        let printed = try await tool.run("rejected", "--json", "clicks")
        let copies = try lines(printed.out)
        #expect(printed.status == 0 && copies.map(\.data) == [Data("bad 1".utf8), Data("bad \u{1B}[0m2".utf8)])
        #expect(copies.map(\.code) == ["InvalidArgumentException", "InvalidArgumentException"])
        #expect(copies[0].message?.contains("bad") == true && !printed.out.contains("\u{1B}"))
        #expect(copies.map(\.service) == ["kinesis", "kinesis"] && copies.map(\.ordinal) == [1, 2])
        let time = try Date(
            try #require(copies[0].rejectedAt),
            strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        )
        #expect(abs(time.timeIntervalSinceNow) < 600)

        let other = try Tool()
        #expect(try await other.run("import", "-", input: Data(printed.out.utf8)).out == "imported 2 records\n")
        let stored = try lines(try await other.run("export").out)
        #expect(stored.map(\.data) == copies.map(\.data) && stored.map(\.partitionKey) == copies.map(\.partitionKey))
        #expect(stored.map(\.code) == [nil, nil])
    }

    @Test func `--restore stores the records again, and a submit delivers them`() async throws {
        let server = try server()
        let tool = try await toolWithCopies(of: server)
        let keys = try lines(try await tool.run("rejected", "--json").out).map(\.partitionKey)
        let restored = try await tool.run("rejected", "--restore")
        #expect(restored.status == 0 && restored.out == "kinesis: restored 2 records.\n", "\(restored.err)")
        #expect(try await tool.run("rejected").out == "no rejected records are kept.\n")
        #expect(try await tool.run("submit").out.hasPrefix("kinesis: 2 records delivered"))
        let sent = try #require(server.requests.last.map { PutRequestBody($0.body) })
        #expect(sent.texts == ["bad 1", "bad \u{1B}[0m2"] && sent.records.map(\.partitionKey) == keys)
    }

    @Test func `--restore and --clear work on the store that was shown, below a state directory too`() async throws {
        let tool = try await toolWithCopies(of: try server())
        let state = tool.home.path(".local/state")
        let restored = try await tool.run("rejected", "--restore", "-d", state)
        #expect(restored.status == 0 && restored.out == "kinesis: restored 2 records.\n", "\(restored)")
        #expect(!FileManager.default.fileExists(atPath: "\(state)/kinesis.db"))
        #expect(try await tool.run("status", "-d", state).out.contains("2 records"))
    }

    @Test func `--clear removes the copies after a confirmation, and clear does not`() async throws {
        let tool = try await toolWithCopies(of: try server())
        _ = try await tool.run("clear", "--yes")
        let asked = try await tool.run("rejected", "--clear")
        #expect(asked.status == 64 && asked.err.contains("rejected: standard input is not a terminal"))
        #expect(try await tool.run("rejected", "--json").out.split(separator: "\n").count == 2)
        #expect(try await tool.run("rejected", "--clear", "--yes").out == "kinesis: removed 2 copies.\n")
        #expect(try await tool.run("rejected").out == "no rejected records are kept.\n")
    }

    @Test func `--restore, --clear and --json exclude each other`() async throws {
        for words in [["--restore", "--clear"], ["--json", "--restore"], ["--json", "--clear"]] {
            let ran = await (try Tool().start(["rejected"] + words)).end()
            #expect(ran.status == 64 && ran.err.contains("exclude each other"), "\(words): \(ran.err)")
        }
    }
}
