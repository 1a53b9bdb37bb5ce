import Foundation
import RecorderTestSupport
import Testing

/// What goes wrong has its own exit status and says what to do; nothing that was saved is lost by it.
@Suite(.timeLimit(.minutes(10))) struct CommandErrorTests {
    @Test(arguments: [
        (["sav"], "there is no command sav. Did you mean save?"),
        (["save", "app", "--sumbit"], "there is no option --sumbit. Did you mean --submit?"),
        (["save"], "STREAM is missing."),
        (["save", "app", "--limit"], "--limit needs a value: --limit SIZE."),
        (["save", "app", "--limit", "many"], "--limit many: give bytes, or as in 500K, 20M, 2G"),
        (["save", "app", "--delimiter", "ab"], "--delimiter ab: give one ASCII character"),
        (["save", "a/b"], "may only hold letters, digits, '_', '.' and '-'."),
        (["save", "app", "-F", "-p", "k"], "Firehose has none."),
        (["submit", "--request-timeout", "0"], "--request-timeout 0: give a time from 1 second to 7 days"),
        (["submit", "--read-timeout", "8d"], "--read-timeout 8d: give a time from 1 second to 7 days"),
        (["save", "app", "--read-timeout", "soon"], "--read-timeout soon: give a time"),
        (["submit", "--watch", "0"], "--watch 0: give a number from 1 to 31,536,000."),
        (["submit", "--watch", "9223372036854775807"], "--watch 9223372036854775807: give a number from 1 to"),
        (["submit", "--watch", "9223372036854775808"], "--watch 9223372036854775808: give a number from 1 to"),
        (["submit", "--watch", "31536001"], "--watch 31536001: give a number from 1 to"),
        (["save", "app", "--requests", "9223372036854775808"], "--requests 9223372036854775808: give a number"),
        (["save", "app", "--limit", "9223372036854775807"], "--limit 9223372036854775807: give bytes, or"),
        (["save", "app", "--limit", "99999999999G"], "--limit 99999999999G: give bytes, or"),
        (["save", "app", "--max-age", "9223372036854775807"], "--max-age 9223372036854775807: give seconds, or"),
        (["save", "app", "--delimiter", "\\x+f"], "--delimiter \\x+f: give one ASCII character"),
        (["save", "app", "--from-byte", "5"], "--from-byte 5: name the file with --file"),
        (["save", "app", "--file", "/dev/null", "--from-byte", "-5"], "--from-byte -5: give a number from 0 on."),
        (["save", "app", "--file", "/dev/null", "--from-byte", "5"], "--from-byte 5: /dev/null is not a regular file"),
        (["save", "app", "-f", "/etc/passwd", "--from-byte", "999999999"], "/etc/passwd has only"),
        (["save", "app", "-f", "/etc/passwd", "--from-byte", "1"], "that is in the middle of a record"),
        (["save", "app", "-f", "/etc/passwd", "--delimiter", "none", "--from-byte", "1"], "--delimiter none"),
        (["completions", "fis"], "Did you mean fish?"),
        (["clear", "now"], "\"now\" is one word too many."),
    ])
    func `a wrong command line is 64 and says what is wrong`(words: [String], text: String) async throws {
        let tool = try Tool()
        let ran = await (try tool.start(words)).end()
        #expect(ran.status == 64 && ran.out == "")
        #expect(ran.err.contains(text))
    }

    @Test func `without a region a submit is 78 and names the variable`() async throws {
        let tool = try Tool()
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let ran = try await tool.run("submit")
        #expect(ran.status == 78 && ran.err.contains("Set AWS_REGION or give --region"))
        let early = try await tool.run("save", "app", "--submit", input: Data("b\n".utf8))
        #expect(early.status == 78 && early.out == "")
    }

    @Test func `a stream that is not there is 69, keys that may not are 77, nobody there is 75`() async throws {
        let moto = try await MotoServer(checkingAccess: true)
        let users = try #require(moto.users)
        let tool = try Tool(to: moto.url, users.allowed)
        _ = try await tool.run("save", "missing", input: Data("a\n".utf8))
        let missing = try await tool.run("submit")
        #expect(missing.status == 69 && missing.err.contains("kinesis: missing: "))
        #expect(missing.out.contains("; 1 left"))
        var denied = tool
        denied.environment["AWS_ACCESS_KEY_ID"] = users.denied.accessKeyId
        denied.environment["AWS_SECRET_ACCESS_KEY"] = users.denied.secretAccessKey
        #expect(try await denied.run("submit").status == 77)
        var offline = tool
        offline.environment["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1"
        #expect(try await offline.run("submit").status == 75)
        let status = try await tool.run("status")
        #expect(status.status == 0)
        #expect(status.out.contains(/missing, \d+ s ago: 127\.0\.0\.1:1: Failed to connect/), "\(status.out)")
        #expect(!(status.out + missing.err).contains(users.allowed.secretAccessKey))
    }

    @Test(.enabled(if: geteuid() == 0 && !isSanitized, "only root can take /proc away, and a sanitizer reads it"))
    func `where /proc is missing, the arguments are, and that is said`() async throws {
        let tool = try Tool()
        let withoutProc = ["unshare", "--mount", "sh", "-c", "umount -l /proc && exec \"$0\" \"$@\""]
        let ran = await (try tool.start(under: withoutProc, ["save", "app"])).end()
        #expect(ran.status == 78 && ran.err.contains("mount /proc"), "\(ran)")
        #expect(ran.out == "")
    }

    @Test func `a directory that cannot be used is 74, an input that cannot be read 66`() async throws {
        let tool = try Tool()
        let store = try await tool.run("save", "app", "-d", "/dev/null/x", input: Data("a\n".utf8))
        #expect(store.status == 74 && store.err.contains("The record directory /dev/null/x cannot be created"))
        let input = try await tool.run("save", "app", "-f", "/nowhere")
        #expect(input.status == 66 && input.err.contains("/nowhere cannot be read: No such file or directory."))
    }

    @Test func `the doctor finds the region missing, and then nothing more`() async throws {
        let ran = try await Tool().run("doctor", "--offline")
        #expect(ran.status == 78)
        #expect(ran.out.contains("FAIL  settings    There is no region. Set AWS_REGION"))
        let moto = try await MotoServer.shared()
        try await moto.createStream("cli-doctor")
        let tool = try Tool(to: moto.url)
        let well = try await tool.run("doctor", "cli-doctor")
        #expect(well.status == 0)
        for line in [
            "ok    region      us-east-1", "ok    service     reached", "ok    clock       right", "all is well.",
        ] {
            #expect(well.out.contains(line))
        }
        #expect(try await tool.run("doctor", "no-such-stream").status == 69)
    }

    @Test func `clear asks, and needs a yes where nobody can answer`() async throws {
        let tool = try Tool()
        _ = try await tool.run("save", "app", input: Data("a\nb\n".utf8))
        let asked = try await tool.run("clear")
        #expect(asked.status == 64 && asked.err.contains("Give --yes"))
        #expect(try await tool.run("clear", "--yes").out == "removed 2 records.\n")
    }
}
