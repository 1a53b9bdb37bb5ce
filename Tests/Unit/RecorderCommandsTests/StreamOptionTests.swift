import Foundation
import RecorderTestSupport
import Testing

/// `--stream` of `status`, `submit` and `clear`.
@Suite(.timeLimit(.minutes(3))) struct StreamOptionTests {
    @Test func `commands with --stream work on the named streams alone`() async throws {
        let service = try AcceptingService()
        let tool = try Tool(to: service.url)
        for stream in ["one", "two", "three"] {
            _ = try await tool.run("save", stream, input: Data("\(stream)\n".utf8))
        }
        let status = try await tool.run("status", "--stream", "two").out
        #expect(status.contains("two ") && !status.contains("one ") && status.contains("3 records"))

        let sent = try await tool.run("submit", "--stream", "one", "--stream", "three")
        #expect(sent.status == 0 && sent.out.hasPrefix("kinesis: 2 records delivered in "), "\(sent)")
        #expect(
            !sent.out.contains("left")
                && service.payloads.sorted { $0.count < $1.count } == ["one", "three"].map { Data($0.utf8) }
        )
        #expect(try await tool.run("submit", "--stream", "four").out == "nothing is stored for four.\n")

        #expect(try await tool.run("clear", "--stream", "one", "--yes").out == "nothing is stored for one.\n")
        #expect(try await tool.run("clear", "--stream", "tow", "--dry-run").out == "nothing is stored for tow.\n")
        #expect(try await tool.run("clear", "--stream", "two", "--yes").out == "removed 1 record.\n")
        #expect(try await tool.run("status").out.contains("3 saved, 2 delivered, 0 discarded, 1 cleared"))
    }
}
