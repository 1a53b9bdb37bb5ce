import Foundation
import RecorderSQLite
import RecorderTestSupport
import Testing

/// `export`, `peek` and `import -`: a store's records as text, and back.
@Suite(.timeLimit(.minutes(3))) struct ExportTests {
    private struct Line: Decodable, Hashable {
        let service: String
        let stream: String
        let partitionKey: String?
        let savedAt: String
        let storeID: String?
        let ordinal: Int64?
        let data: Data
    }

    private func lines(_ text: String) throws -> [Line] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    private let binary = Data((0...255).map { UInt8($0) }) + Data("\n\"\u{202E}\n".utf8)

    /// A tool with records of several streams and both services.
    private func toolWithRecords() async throws -> Tool {
        let tool = try Tool()
        _ = try await tool.run("save", "one", input: Data("a\nb\n".utf8))
        _ = try await tool.run("save", "two", "-p", "k \"\u{1B}[0m", input: Data("c\n".utf8))
        _ = try await tool.run("save", "two", "--delimiter", "none", input: binary)
        _ = try await tool.run("save", "three", "--firehose", input: Data("d\n".utf8))
        return tool
    }

    @Test func `an import of an export has the same records, and the export removes none`() async throws {
        let tool = try await toolWithRecords()
        let exported = try await tool.run("export")
        let before = try lines(exported.out)
        #expect(exported.status == 0 && exported.err.isEmpty)
        try #require(before.map(\.stream) == ["one", "one", "two", "two", "three"])
        #expect(before.map(\.data) == [Data("a".utf8), Data("b".utf8), Data("c".utf8), binary, Data("d\n".utf8)])
        #expect(before.map(\.ordinal) == [0, 1, nil, 0, nil] && before[4].partitionKey == nil)
        #expect(before.map(\.service) == Array(repeating: "kinesis", count: 4) + ["firehose"])
        let time = try Date(before[0].savedAt, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        #expect(abs(time.timeIntervalSinceNow) < 600)
        #expect(!exported.out.contains("\u{1B}") && !exported.out.contains("\u{202E}"))

        let other = try Tool()
        let imported = try await other.run("import", "-", input: Data(exported.out.utf8))
        #expect(imported.status == 0 && imported.out == "imported 5 records\n", "\(imported.err)")
        let after = try lines(try await other.run("export").out)
        #expect(
            after.map { [$0.service, $0.stream, $0.partitionKey] }
                == before.map { [$0.service, $0.stream, $0.partitionKey] }
        )
        #expect(after.map(\.data) == before.map(\.data) && after.map(\.storeID) == before.map(\.storeID))
        #expect(try await tool.run("export").out == exported.out)
    }

    @Test func `named streams, services and raw data are exported alone`() async throws {
        let tool = try await toolWithRecords()
        #expect(try await tool.run("export", "one", "--raw").out == "a\nb\n")
        #expect(try lines(try await tool.run("export", "--firehose").out).map(\.stream) == ["three"])
        #expect(try await tool.run("export", "three", "one", "--raw").out == "a\nb\nd\n\n")
        let unknown = try await tool.run("export", "onee")
        #expect(unknown.status == 66 && unknown.out.isEmpty && unknown.err.contains("Did you mean one?"))
        let some = try await tool.run("export", "onee", "three", "--raw")
        #expect(some.status == 66 && some.out == "d\n\n" && some.err.contains("nothing is stored for onee."))
    }

    @Test func `a stream is exported while another process saves to it`() async throws {
        let tool = try Tool()
        let saving = try tool.start(["save", "app"])
        saving.write(Data("1\n2\n".utf8))
        var out = ""
        while out != "1\n2\n" { out = try await tool.run("export", "--raw").out }
        #expect(try await tool.run("peek", "app").out.contains("2 records"))
        #expect(try await tool.run("verify").status == 0)
        saving.write(Data("3\n".utf8))
        #expect(await saving.end().status == 0)
        #expect(try await tool.run("export", "--raw").out == "1\n2\n3\n")
    }

    @Test func `an import that a signal ends says at which line to go on, and that the last one was dropped`()
        async throws
    {
        let tool = try Tool()
        let running = try tool.start(["import", "-"])
        let line = #"{"stream":"app","data":"YQ=="}"#
        running.write(Data("\(line)\n\(line.dropLast(5))".utf8))
        while try await tool.run("export", "--raw").out != "a\n" {}
        #expect(running.signal(SIGTERM) == 0)
        let ran = await running.end(closesInput: false)
        #expect(ran.status == 128 + SIGTERM && ran.out == "imported 1 record\n", "\(ran)")
        #expect(ran.err.contains("line 2: a signal came before its end. The lines before it are saved;"), "\(ran)")
        #expect(ran.err.contains("tail -n +2"), "\(ran)")
    }

    @Test func `a line that is longer than any record ends an import before its end is read`() async throws {
        let tool = try Tool()
        let running = try tool.start(["import", "-"])
        running.write(Data(#"{"stream":"app","data":"YQ=="}"#.utf8) + Data([0x0A]))
        running.write(Data(repeating: UInt8(ascii: "x"), count: 16 << 20))
        let ran = await running.end(closesInput: false)
        #expect(ran.status == 66 && ran.out == "imported 1 record\n", "\(ran)")
        #expect(ran.err.contains("line 2: it is longer than any record."), "\(ran)")
    }

    @Test(arguments: [
        ("nonsense\n", "line 2: it is not a record as `kinesis-recorder export` prints it."),
        (#"{"stream":"a b","data":"YQ=="}"#, "line 2: "), (#"{"stream":"s","service":"x","data":""}"#, "no service x"),
    ])
    func `the first line that is no record ends an import, and the lines before it are saved`(
        line: String,
        message: String
    ) async throws {
        let tool = try Tool()
        let good = #"{"stream":"app","data":"YQ=="}"# + "\n"
        let ran = try await tool.run("import", "-", input: Data((good + line + "\n" + good).utf8))
        #expect(ran.status == 66 && ran.err.contains(message) && ran.err.contains("tail -n +2"), "\(ran.err)")
        #expect(ran.out == "imported 1 record\n")
        #expect(try await tool.run("export", "--raw").out == "a\n")
    }

    @Test func `a peek shows the oldest records with key, age, size and the start of the data`() async throws {
        let tool = try await toolWithRecords()
        let two = try await tool.run("peek", "two").out.split(separator: "\n")
        try #require(two.count == 4)
        #expect(two[0].hasPrefix("kinesis, two: 2 records, "))
        #expect(two[1].hasPrefix("KEY ") && two[1].hasSuffix("  AGE   SIZE  DATA"))
        #expect(two[2].hasSuffix("1 B  c") && two[3].contains("  0x000102030405"))
        _ = try await tool.run("save", "one", input: Data((String(repeating: "ü", count: 500) + "\n").utf8))
        let one = try await tool.run("peek", "one", "--count", "1").out
        #expect(one.contains(" a\n") && !one.contains(" b\n"))
        #expect(try await tool.run("peek", "one").out.hasSuffix("  \(String(repeating: "ü", count: 60))...\n"))
    }

    @Test func `to look at a stream of which nothing is stored is 66, to send nothing is success`() async throws {
        let tool = try await toolWithRecords()
        let peek = try await tool.run("peek", "tow")
        #expect(peek.status == 66 && peek.out.isEmpty, "\(peek)")
        #expect(peek.err.contains("nothing is stored for tow. Did you mean two?"), "\(peek)")
        #expect(try await tool.run("export", "tow").status == 66)
        #expect(try await Tool().run("export").status == 0)
        let submit = try await tool.run("submit", "--stream", "tow")
        #expect(submit.status == 0 && submit.out == "nothing is stored for tow.\n", "\(submit)")
    }

    @Test func `a damaged store is named with its problem, and the exit status is 1`() async throws {
        let tool = try await toolWithRecords()
        let sound = try await tool.run("verify")
        #expect(sound.status == 0 && sound.out.contains("kinesis.db is sound: 4 records, ") && sound.err.isEmpty)
        let path = tool.home.path(".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/kinesis.db")
        try SQLiteConnection.emptyLog(of: path)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.range(of: binary))
        bytes[place.lowerBound + 40] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        let damaged = try await tool.run("verify")
        #expect(
            damaged.status == 1 && damaged.err.contains("stream two: records altered, with a wrong checksum: 1 of 2"),
            "\(damaged.err)"
        )
        #expect(damaged.err.contains("cp -a /") && damaged.out.contains("firehose.db is sound"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        #expect(try await tool.run("export").status == 74)
    }

    @Test func `a check that damage ends says that nothing was counted`() async throws {
        let tool = try await toolWithRecords()
        let path = tool.home.path(".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/kinesis.db")
        try SQLiteConnection.emptyLog(of: path)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // The list of tables, on the first page behind the header.
        bytes.replaceSubrange(100..<512, with: Data(repeating: 0xff, count: 412))
        try bytes.write(to: URL(fileURLWithPath: path))
        let ran = try await tool.run("verify", "--kinesis")
        #expect(ran.status == 1 && ran.err.contains("is damaged; what can be read of it was not counted."), "\(ran)")
    }

    @Test func `JSON has the counts of a sound store, and the problems of a damaged one`() async throws {
        struct Report: Decodable {
            let service: String
            let path: String
            let sound: Bool
            let problems: [String]
            let moreProblems: Bool
            let records: Int?
            let streams: Int?
        }
        let tool = try await toolWithRecords()
        let path = tool.home.path(".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/firehose.db")
        try SQLiteConnection.emptyLog(of: path)
        try Data("no store".utf8).write(to: URL(fileURLWithPath: path))
        let ran = try await tool.run("verify", "--json")
        let reports = try JSONDecoder().decode([Report].self, from: Data(ran.out.utf8))
        #expect(ran.status == 1 && ran.err.isEmpty)
        #expect(reports.map(\.service) == ["kinesis", "firehose"] && reports.map(\.sound) == [true, false])
        #expect(reports[0].records == 4 && reports[0].streams == 2 && reports[0].problems.isEmpty)
        #expect(reports[1].records == nil && reports[1].problems.count == 1 && !reports[1].moreProblems)
        #expect(reports[1].path == path)
    }

    @Test func `a dry run of clear names what would be removed, and removes nothing`() async throws {
        let tool = try await toolWithRecords()
        let ran = try await tool.run("clear", "--dry-run", "--stream", "two", "--yes")
        #expect(ran.status == 0 && ran.out.hasPrefix("would remove 2 records of two ("), "\(ran)")
        #expect(try await tool.run("export", "two").out.split(separator: "\n").count == 2)
    }
}
