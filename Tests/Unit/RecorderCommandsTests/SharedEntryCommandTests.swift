import Foundation
import RecordFormats
import RecorderAWS
import RecorderTestSupport
import Testing

/// `--aggregate`, `--pack` and `--ordered`.
@Suite(.timeLimit(.minutes(5))) struct SharedEntryCommandTests {
    private let lines = (0..<500).map { "line \($0)" }
    private func run(_ tool: Tool, _ words: [String], input: Data = Data()) async throws -> Tool.Ran {
        let running = try tool.start(words)
        running.write(input)
        return await running.end()
    }

    private var input: Data { Data(lines.map { "\($0)\n" }.joined().utf8) }

    @Test(arguments: [["save", "--submit"], ["submit"]])
    func `lines are aggregated for Kinesis, and status and summary count records and entries`(words: [String])
        async throws
    {
        let moto = try await MotoServer.shared()
        let stream = "cli-aggregated-\(words[0])"
        try await moto.createStream(stream)
        let tool = try Tool(to: moto.url)
        let options = ["--aggregate", "--entry-size", "4K", "--ordered"]
        if words[0] == "save" {
            #expect(try await run(tool, ["save", stream, "--submit"] + options, input: input).status == 0)
        } else {
            #expect(try await run(tool, ["save", stream], input: input).status == 0)
            let sent = try await run(tool, ["submit"] + options)
            #expect(
                sent.status == 0 && sent.out.contains(/500 records delivered in .* s \(.*\/s\), in \d+ entries/),
                "\(sent)"
            )
        }
        let entries = try await moto.kinesisRecords(stream)
        let records = entries.flatMap { AggregatedEntry.records(in: Array($0.data)) ?? [] }
        #expect(records.map { String(decoding: $0.data, as: UTF8.self) } == lines)
        #expect(entries.count < 20 && entries.allSatisfy { $0.data.count <= 4_096 })
        #expect(try await tool.run("status").out.contains("500 delivered in \(entries.count) entries, 0 discarded"))
        let json = try await tool.run("status", "--json").out
        #expect(json.contains(#""entries":\#(entries.count)"#) || json.contains(#""entries" : \#(entries.count)"#))
    }

    /// The texts that a consumer built on the KCL gets: it drops an aggregated record whose hash key its shard does not hold.
    private func consumed(_ stream: String, from moto: MotoServer) async throws -> [String] {
        try await moto.kinesisRecords(stream).flatMap { entry in
            guard let records = AggregatedEntry.records(in: Array(entry.data)) else { return [entry.text] }
            let isInPlace = records.allSatisfy { record in
                let hash = record.explicitHashKey.flatMap { UInt128($0) }
                return entry.holds(hash ?? ShardedStream.Entry.hash(of: record.partitionKey))
            }
            return isInPlace ? records.map { String(decoding: $0.data, as: UTF8.self) } : []
        }
    }

    @Test func `a stream that distributes by itself gets line by line, and what to do is said once`() async throws {
        let moto = try await MotoServer.shared()
        let stream = "cli-automatic-entries"
        try await moto.createStream(stream, shards: 4, distributesRecords: true)
        let tool = try Tool(to: moto.url)
        let sent = try await run(tool, ["save", stream, "--submit", "--aggregate", "--entry-size", "4K"], input: input)
        #expect(sent.status == 0)
        #expect(sent.err.components(separatedBy: "strategy AUTO").count == 2, "\(sent.err)")
        #expect(sent.err.contains("Set its strategy to USER_PARTITION_KEY, or send without aggregation."))
        #expect(try await moto.kinesisRecords(stream).count == 500)
        #expect(try await consumed(stream, from: moto).sorted() == lines.sorted())
        try await moto.setDistributesRecords(false, of: stream)
        #expect(try await run(tool, ["save", stream, "--submit", "--aggregate"], input: input).status == 0)
        #expect(try await moto.kinesisRecords(stream).count < 510)
        #expect(try await consumed(stream, from: moto).sorted() == (lines + lines).sorted())
    }

    @Test func `--aggregate=force asks nothing, and any other value is an error`() async throws {
        let moto = try await MotoServer.shared()
        let stream = "cli-forced"
        try await moto.createStream(stream, shards: 4, distributesRecords: true)
        let tool = try Tool(to: moto.url)
        let words = ["save", stream, "--submit", "--aggregate=force", "--entry-size", "1K"]
        let sent = try await run(tool, words, input: input)
        #expect(sent.status == 0 && sent.err.isEmpty)
        // So records are lost at the consumer.
        #expect(try await consumed(stream, from: moto).count < 450)
        let wrong = try await tool.run("submit", "--aggregate=yes")
        #expect(wrong.status == 64 && wrong.err.contains("--aggregate takes no value but force: --aggregate=force."))
    }

    @Test func `without the permission to ask, lines are sent one by one, and the permissions are named once`()
        async throws
    {
        let server = try await CheckedServer()
        let tool = try Tool(to: server.url, keys: server.setUp.user)
        let sent = try await run(tool, ["save", "guarded", "--submit", "--aggregate"], input: input)
        #expect(sent.status == 0)
        #expect(sent.err.components(separatedBy: "kinesis:DescribeStreamSummary and kinesis:ListShards").count == 2)
        #expect(sent.err.contains("--aggregate=force"))
        #expect(try await server.records(of: "guarded").count == 500)
        await server.stop()
    }

    @Test func `a submit packs lines for Firehose, and leaves those for Kinesis alone`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createDeliveryStream("cli-packed")
        try await moto.createStream("cli-beside-packed")
        let tool = try Tool(to: moto.url)
        _ = try await run(tool, ["save", "cli-packed", "--firehose"], input: input)
        _ = try await run(tool, ["save", "cli-beside-packed"], input: Data("a\nb\n".utf8))
        let sent = try await tool.run("submit", "--pack")
        #expect(sent.status == 0 && sent.out.contains("firehose: 500 records delivered"))
        #expect(try await moto.firehoseBytes("cli-packed") == Array(input))
        #expect(try await moto.requests("cli-packed").map(\.records) == [1])
        #expect(try await moto.kinesisRecords("cli-beside-packed").map(\.text) == ["a", "b"])
        #expect(try await tool.run("status", "-F").out.contains("500 delivered in 1 entry, 0 discarded"))
    }
}
