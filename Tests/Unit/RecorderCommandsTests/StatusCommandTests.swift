import AmplifyFoundation
import AmplifyKinesisClient
import Foundation
import RecorderTestSupport
import Testing

/// `status` shows every store of a program, stream by stream.
@Suite(.timeLimit(.minutes(3))) struct StatusCommandTests {
    @Test func `each stream's bytes are shown, those of an Amplify client's cache too`() async throws {
        let tool = try Tool()
        _ = try await tool.run("save", "one", "-p", "k", input: Data("abc\n".utf8))
        _ = try await tool.run("save", "two", "-p", "k", input: Data("abcdef\nghi\n".utf8))
        let client = try AmplifyKinesisClient(
            region: "us-east-1",
            credentialsProvider: NoKeys(),
            options: .init(
                flushStrategy: .none,
                storeDirectory: URL(
                    fileURLWithPath: tool.home.path(
                        ".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder"
                    )
                )
            )
        )
        try await client.record(data: Data("12345".utf8), partitionKey: "k", streamName: "three")

        #expect(
            try await tool.bytesByStream() == ["kinesis/one": 68, "kinesis/two": 139, "amplify-kinesis/three": 70]
        )
        #expect(try await tool.bytesByStream("--key", "us-east-1") == ["amplify-kinesis/three": 70])
        #expect(try await tool.bytesByStream("--firehose").isEmpty)
        let text = try await tool.run("status").out
        #expect(text.contains("STREAM  RECORDS  BYTES  OLDEST") && text.contains("amplify-kinesis: "))
    }

    @Test(arguments: [
        "stream SET evicted = max, expired = max", "stream SET saved = min", "stream SET bytes = min",
        "meta SET byte_limit = max, age_limit = max",
    ])
    func `corrupt numbers in a store crash no command`(change: String) async throws {
        let tool = try Tool()
        _ = try await tool.run("save", "one", input: Data("abc\n".utf8))
        let path = tool.home.path(".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/kinesis.db")
        let values = change.replacingOccurrences(of: "max", with: "9223372036854775807").replacingOccurrences(
            of: "min",
            with: "-9223372036854775808"
        )
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = [
            "python3", "-c",
            """
            import sqlite3
            c = sqlite3.connect('\(path)')
            c.execute('UPDATE \(values)')
            c.commit()
            """,
        ]
        let end = try ProcessEnd(starting: python)
        await end.finished()
        #expect(python.terminationStatus == 0)
        for words in [["status"], ["status", "--json"], ["doctor"], ["list"], ["clear", "--yes"]] {
            let ran = await (try tool.start(words)).end()
            #expect(ran.status >= 0 && ran.status < 128 && !ran.err.contains("Fatal error"), "\(words): \(ran.err)")
            if words[0] == "status" { #expect([0, 70].contains(ran.status) && ran.out.contains("one")) }
        }
    }
}

private struct NoKeys: AWSCredentialsProvider {
    func resolve() async throws -> any AWSCredentials { throw CancellationError() }
}

extension Tool {
    private struct Report: Decodable {
        struct Stream: Decodable {
            let name: String
            let bytes: Int
        }

        let service: String
        let streams: [Stream]
    }

    /// The bytes that `status --json` prints, by `service/stream`.
    fileprivate func bytesByStream(_ options: String...) async throws -> [String: Int] {
        let running = try start(["status", "--json"] + options)
        let reports = try JSONDecoder().decode([Report].self, from: Data(await running.end().out.utf8))
        let all = reports.flatMap { report in report.streams.map { ("\(report.service)/\($0.name)", $0.bytes) } }
        return Dictionary(uniqueKeysWithValues: all)
    }
}
