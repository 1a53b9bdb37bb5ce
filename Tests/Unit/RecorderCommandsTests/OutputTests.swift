import Foundation
import RecorderTestSupport
import Testing

/// All output is written, or the exit status is an error.
@Suite(.timeLimit(.minutes(5))) struct OutputTests {
    private static let commands = [
        ["list"], ["list", "--json"], ["status"], ["status", "--json"], ["--help"], ["--version"], ["help", "--man"],
        ["completions", "bash"], ["submit"],
    ]

    /// A tool with something in its store, so that each command prints something.
    private func toolWithARecord() async throws -> Tool {
        let tool = try Tool(to: "http://127.0.0.1:1")
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        return tool
    }

    @Test(arguments: commands)
    func `a full disk for the output is an error`(words: [String]) async throws {
        let tool = try await toolWithARecord()
        let ran = await (try tool.start(under: ["sh", "-c", #"exec "$0" "$@" > /dev/full"#], words)).end()
        #expect(ran.status != 0)
        #expect(ran.err.contains("standard output cannot be written: No space left on device."), "\(ran)")
    }

    @Test(arguments: commands)
    func `a closed standard output is an error`(words: [String]) async throws {
        let tool = try await toolWithARecord()
        let ran = await (try tool.start(under: ["sh", "-c", #"exec "$0" "$@" >&-"#], words)).end()
        #expect(ran.status != 0)
        #expect(ran.err.contains("standard output cannot be written: Bad file descriptor."), "\(ran)")
    }

    @Test(arguments: commands)
    func `a reader that closed the pipe gives the status of SIGPIPE, and no message`(words: [String]) async throws {
        let tool = try await toolWithARecord()
        let script = #"exec > >(exit 0); wait $!; exec "$0" "$@""#
        let ran = await (try tool.start(under: ["bash", "-c", script], words)).end()
        #expect(ran.status == (words == ["submit"] ? 75 : 128 + SIGPIPE))
        #expect(words == ["submit"] || ran.err == "", "\(ran)")
    }

    @Test(arguments: commands)
    func `a non-blocking pipe gets everything, however slow its reader is`(words: [String]) async throws {
        let tool = try await toolWithARecord()
        let script = """
            import os, subprocess, sys
            end, start = os.pipe()
            os.set_blocking(start, False)
            full = 0
            try:
                while True: full += os.write(start, b'.')
            except BlockingIOError: pass
            tool = subprocess.Popen(sys.argv[1:], stdout=start)
            os.close(start)
            try: tool.wait(0.1)
            except subprocess.TimeoutExpired: pass
            out = open(end, 'rb').read()[full:]
            sys.stdout.buffer.write(out)
            sys.stdout.flush()
            sys.exit(tool.wait())
            """
        let wanted = await (try tool.start(words)).end()
        let ran = await (try tool.start(under: ["python3", "-c", script], words)).end()
        #expect(ran.status == wanted.status)
        #expect(withoutTimes(ran.out) == withoutTimes(wanted.out), "\(ran)")
    }

    /// The text without durations and ages, and without the blanks that align them.
    private func withoutTimes(_ text: String) -> String {
        text.replacing(/[0-9.]+ s\b|Seconds" : [0-9]+/, with: "").replacing(/\s+/, with: " ")
    }

    @Test func `descriptors that are closed at the start are not reused for files`() async throws {
        let tool = try Tool()
        let file = tool.home.path("lines")
        try Data("a\nb\n".utf8).write(to: URL(fileURLWithPath: file))
        let closed = ["sh", "-c", #"exec "$0" "$@" <&- >&- 2>&-"#]
        #expect(await (try tool.start(under: closed, ["save", "app", "-f", file])).end().status == 74)
        #expect(try await tool.run("status", "--json").out.contains("\"records\" : 2"))
        let without = await (try tool.start(under: ["sh", "-c", #"exec "$0" "$@" <&-"#], ["save", "app"])).end()
        #expect(without.status == 66 && without.err.contains("standard input cannot be read"), "\(without)")
    }
}
