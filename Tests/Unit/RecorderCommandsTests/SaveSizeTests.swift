import Foundation
import RecorderTestSupport
import Testing

/// `save` and `submit` with ARNs, sizes and streams that distribute records by themselves.
@Suite(.timeLimit(.minutes(5))) struct SaveSizeTests {
    @Test func `records saved under an ARN are delivered, and the status shows name and account`() async throws {
        let moto = try await MotoServer.shared()
        let account = "410987654321"
        try await moto.createStream("cli-arn", account: account)
        let tool = try Tool(to: moto.url)
        let arn = "arn:aws:kinesis:us-east-1:\(account):stream/cli-arn"
        let saved = try await tool.run("save", arn, input: Data("a\nb\n".utf8))
        #expect(saved.status == 0)
        #expect(saved.out.hasPrefix("saved 2 records to cli-arn in "))
        #expect(try await tool.run("status").out.contains("cli-arn (\(account))"))
        let json = try await tool.run("status", "--json").out
        #expect(json.contains(#""name":"cli-arn""#) || json.contains(#""name" : "cli-arn""#))
        #expect(json.contains(arn.replacingOccurrences(of: "/", with: "\\/")) || json.contains(arn))
        #expect(try await tool.run("submit").status == 0)
        #expect(try await moto.kinesisRecords("cli-arn", account: account).map(\.text) == ["a", "b"])
    }

    @Test(arguments: [
        ("arn:aws:kinesis:eu-west-1:123456789012:stream/app", "eu-west-1"),
        ("arn:aws:s3:::bucket", "its service is \"s3\""),
        ("arn:aws:kinesis:us-east-1:1:stream/app", "12 digits"),
    ])
    func `an ARN that cannot be used is an error before the input is read`(arn: String, problem: String) async throws {
        var tool = try Tool()
        tool.environment["AWS_REGION"] = "us-east-1"
        let ran = try await tool.run("save", arn, input: Data("a\n".utf8))
        #expect(ran.status == 64, "\(ran.status)")
        #expect(ran.err.contains(problem) && ran.err.contains(arn))
        let status = try await tool.run("status").out
        #expect(status.contains("nothing is stored") || status.contains("0 records"))
    }

    @Test func `--max-record allows lines of up to 10 MiB with their key, and --batch-size requests of that size`()
        async throws
    {
        let moto = try await MotoServer.shared()
        try await moto.createStream("cli-large")
        let tool = try Tool(to: moto.url)
        let line = Data(repeating: UInt8(ascii: "x"), count: 3 << 20)
        let fitting = Data(repeating: UInt8(ascii: "y"), count: (10 << 20) - 1)
        let newline = Data("\n".utf8)
        let input = [line, line, fitting, fitting + Data("y".utf8), Data("end".utf8)].reduce(Data()) {
            $0 + $1 + newline
        }
        let saved = try await tool.run("save", "cli-large", "-p", "k", "--max-record", "10M", input: input)
        #expect(saved.status == 65)
        #expect(saved.err.contains("record 4 is 10,485,760 bytes; the limit is 10,485,759"))
        #expect(saved.out.contains("saved 4 records"))
        let sent = try await tool.run("submit", "--batch-size", "10M")
        #expect(sent.status == 0, "\(sent.err)")
        #expect(try await moto.kinesisRecords("cli-large").map(\.data) == [line, line, fitting, Data("end".utf8)])
        #expect(try await moto.requests("cli-large").map(\.records) == [2, 1, 1])
    }

    @Test(arguments: [
        ["save", "app", "--max-record", "11M"], ["save", "app", "-F", "--max-record", "2M"],
        ["save", "app", "--max-record", "0"], ["submit", "--batch-size", "11M"],
        ["submit", "-F", "--batch-size", "5M"],
    ])
    func `a size beyond the service's is a usage error that names the limit`(words: [String]) async throws {
        let ran = await (try Tool().start(words)).end()
        #expect(ran.status == 64)
        #expect(ran.err.contains("the limit of the service"), "\(ran.err)")
    }

    @Test func `a record that its stream does not accept is reported with both sizes, and the others are delivered`()
        async throws
    {
        let moto = try await MotoServer.shared()
        try await moto.createStream("cli-one-mebibyte", maximumKiB: 1_024)
        let tool = try Tool(to: moto.url)
        let input = Data("before\n".utf8) + Data(repeating: UInt8(ascii: "x"), count: 3 << 20) + Data("\nafter\n".utf8)
        _ = try await tool.run("save", "cli-one-mebibyte", "-p", "k", "--max-record", "4M", input: input)
        let sent = try await tool.run("submit")
        #expect(sent.err.contains("3145729 bytes") && sent.err.contains("1048576"), "\(sent.err)")
        #expect(try await moto.kinesisRecords("cli-one-mebibyte").map(\.text) == ["before", "after"])
        #expect(try await tool.run("submit").out.hasPrefix("nothing is stored in "))
    }

    @Test func `with --omit-keys, records without a key are sent without one`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("cli-automatic", distributesRecords: true)
        let tool = try Tool(to: moto.url)
        _ = try await tool.run("save", "cli-automatic", input: Data("a\nb\n".utf8))
        #expect(try await tool.run("submit", "--omit-keys").status == 0)
        #expect(try await tool.run("save", "cli-automatic", "-s", "--omit-keys", input: Data("c\n".utf8)).status == 0)
        let records = try await moto.kinesisRecords("cli-automatic")
        #expect(records.map(\.text) == ["a", "b", "c"])
        #expect(records.allSatisfy { $0.partitionKey.isEmpty })
    }
}
