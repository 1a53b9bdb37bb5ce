import Foundation
import RecorderTestSupport
import Testing

/// `save` whose input or disk fails half way: the store holds the beginning of the input in whole lines, and a second run
/// saves the rest, each line once.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Privileges.traces, "strace is missing, or not permitted to trace"))
struct InterruptedSaveTests {
    private let service: AcceptingService
    private let tool: Tool
    private let path: String
    private let lines: [String]

    init() throws {
        service = try AcceptingService()
        tool = try Tool(to: service.url)
        path = tool.home.path("app.log")
        lines = (0..<40_000).map { "line \($0) of the input" }
    }

    private func write(_ lines: [String]) throws {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
    }

    /// Runs the tool with some system calls on one file failing.
    private func run(
        _ words: [String],
        failing call: String,
        with error: String,
        when: String,
        on file: String
    ) async throws -> Tool.Ran {
        let strace = [
            "strace", "-f", "-qq", "-o", tool.home.path("trace"), "-P", file, "-e", "trace=\(call)",
            "-e", "inject=\(call):error=\(error):when=\(when)",
        ]
        return await (try tool.start(under: strace, words)).end()
    }

    private var log: String {
        tool.home.path(".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/kinesis.db-wal")
    }

    /// The byte at which a run said that the rest begins.
    private func byte(in ran: Tool.Ran) throws -> String {
        String(try #require(ran.err.firstMatch(of: /--from-byte (\d+)/)?.1, "\(ran)"))
    }

    /// Everything that arrived, without duplicates: a record may be sent again after the fault interrupted a submit.
    private func sent() async throws -> [String] {
        _ = try await tool.run("submit", "-q")
        var seen: Set<String> = []
        return service.payloads.map(\.text).filter { seen.insert($0).inserted }
    }

    @Test func `at the limit on file sizes a save says from which byte to go on`() async throws {
        try write(lines)
        let limited = ["sh", "-c", #"ulimit -f 600; exec "$@""#, "sh"]
        let ran = await (try tool.start(under: limited, ["save", "app", "--file", path])).end()
        #expect(ran.status == 74 && ran.err.contains("ulimit -f"), "\(ran)")
        _ = try await tool.run("save", "app", "--file", path, "--from-byte", try byte(in: ran))
        #expect(try await sent() == lines)
    }

    /// In blocks of 512 bytes; the store has 1 MB.
    @Test(arguments: [64, 128, 192, 256, 1_024, 2_048, 2_200, 2_400, 2_800, 4_096, 65_536])
    func `under a limit on file sizes a submit sends each record once, or nothing and says why`(limit: Int) async throws
    {
        let filler = String(repeating: "x", count: 1_000)
        let lines = self.lines.prefix(1_000).map { $0 + filler }
        try write(lines)
        #expect(try await tool.run("save", "app", "-q", "--file", path).status == 0)
        for _ in 0..<2 {
            let before = service.payloads.count
            let limited = ["sh", "-c", #"ulimit -f \#(limit); exec "$@""#, "sh"]
            let ran = await (try tool.start(under: limited, ["submit", "-q"])).end()
            #expect(limit < 1_024 ? ran.status == 74 : limit < 65_536 || ran.status == 0, "\(ran)")
            if ran.status != 0 { #expect(ran.err.contains("ulimit -f") && service.payloads.count == before, "\(ran)") }
        }
        #expect(try await tool.run("submit", "-q").status == 0)
        #expect(service.payloads.map(\.text).sorted() == lines.sorted())
    }

    @Test func `a directory that another process made is durable before a record is acknowledged`() async throws {
        let (outer, inner) = (tool.home.path("outer"), tool.home.path("outer/inner"))
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
        try write(["line"])
        let trace = tool.home.path("trace")
        let strace = ["strace", "-f", "-qq", "-y", "-o", trace, "-e", "trace=fsync,fdatasync"]
        let ran = await (try tool.start(under: strace, ["save", "app", "-f", path, "--directory", inner])).end()
        #expect(ran.status == 0, "\(ran)")
        let syncs = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
        let log = try #require(syncs.firstIndex { $0.contains("kinesis.db-wal>") })
        for directory in [tool.home.path, outer] {
            let name = try #require(syncs.firstIndex { $0.contains("<\(directory)>") }, "\(syncs)")
            #expect(name < log)
        }
    }

    @Test(arguments: [2, 4])
    func `after a failed read whole lines are stored, and the rest from the byte that is named`(
        number: Int
    ) async throws {
        try write(lines)
        let failed = try await run(
            ["save", "app", "-f", path],
            failing: "read",
            with: "EIO",
            when: "\(number)",
            on: path
        )
        #expect(failed.status == 66 && failed.err.contains("\(path) cannot be read: Input/output error."), "\(failed)")
        let stored = try await sent()
        #expect(!stored.isEmpty && stored.count < lines.count)
        #expect(isBeginning(stored, of: lines))
        #expect(failed.err.contains("are done: \(grouped(stored.count)) records saved."), "\(failed)")
        let rest = try await tool.run("save", "app", "-f", path, "--from-byte", try byte(in: failed))
        #expect(rest.status == 0 && rest.err == "", "\(rest)")
        #expect(isSame(try await sent(), as: lines))
    }

    @Test(arguments: ["EIO", "ENOSPC"], ["save", "save --submit"])
    func `after a failed commit nothing more is stored, and the rest from the byte that is named`(
        error: String,
        command: String
    ) async throws {
        try write(lines)
        _ = try await tool.run("save", "app", input: Data("first\n".utf8))
        let words = ["save", "app", "-f", path] + (command == "save" ? [] : ["--submit"])
        // strace counts the calls of each thread, and settles sync too. Several calls fail, so that one of a save does;
        // with --submit that may be the first.
        let calls = command == "save" ? "3" : "3..12"
        let failed = try await run(words, failing: "fdatasync", with: error, when: calls, on: log)
        #expect(failed.status == 74, "\(failed)")
        let stored = try await sent()
        #expect(stored.count > (command == "save" ? 1 : 0) && stored.count <= lines.count, "\(stored.count)")
        #expect(isBeginning(stored, of: ["first"] + lines))
        let rest = try await tool.run("save", "app", "-f", path, "--from-byte", try byte(in: failed))
        #expect(rest.status == 0 && rest.err == "", "\(rest)")
        #expect(isSame(try await sent(), as: ["first"] + lines))
    }

    @Test(
        .enabled(
            if: Privileges.mounts && !isSanitized,
            "only root can mount a small disk, and not in each container or chroot"
        )
    )
    func `on a disk that fills up nothing is stored after the first line that was not`() async throws {
        // Enough to fill the disk, and long enough that later lines would fit into the space of the released reserve.
        let lines = lines.map { $0 + String(repeating: ".", count: 200) }
        try write(lines)
        let script = """
            mkdir "$HOME/disk" && mount -t tmpfs -o size=4m,mode=700 none "$HOME/disk" || exit 1
            "$0" save app -d "$HOME/disk/store" -f "$HOME/app.log" > "$HOME/out" 2> "$HOME/err"; echo $? > "$HOME/status"
            mount -o remount,size=64m "$HOME/disk"
            from=$(sed -n 's/.*--from-byte \\([0-9]*\\).*/\\1/p' "$HOME/err")
            "$0" save app -d "$HOME/disk/store" -f "$HOME/app.log" --from-byte "$from" || exit 2
            "$0" submit -q -d "$HOME/disk/store"
            """
        let ran = await (try tool.start(under: ["unshare", "--mount", "sh", "-c", script], [])).end()
        let errors = try String(contentsOfFile: tool.home.path("err"), encoding: .utf8)
        #expect(ran.status == 0, "\(ran) \(errors)")
        #expect(try String(contentsOfFile: tool.home.path("status"), encoding: .utf8) == "74\n", "\(errors)")
        #expect(isSame(service.payloads.map(\.text), as: lines), "\(errors)")
    }

    @Test func `for a pipe that fails the number of stored records is printed`() async throws {
        try write(lines)
        let script = """
            mkfifo "$HOME/in" && cat "$HOME/app.log" > "$HOME/in" &
            while [ ! -p "$HOME/in" ]; do :; done
            exec strace -f -qq -o "$HOME/trace" -P "$HOME/in" -e trace=read -e inject=read:error=EIO:when=4 \
              "$0" "$@" < "$HOME/in"
            """
        let failed = await (try tool.start(under: ["sh", "-c", script], ["save", "app"])).end()
        #expect(failed.status == 66 && failed.err.contains("standard input cannot be read"), "\(failed)")
        let stored = try await sent()
        #expect(!stored.isEmpty && isBeginning(stored, of: lines))
        #expect(failed.err.contains("the first \(grouped(stored.count)) records"), "\(failed)")
    }

    @Test func `a whole input that cannot be read to its end is no record`() async throws {
        try write(lines)
        let words = ["save", "app", "--delimiter", "none", "-f", path]
        let failed = try await run(words, failing: "read", with: "EIO", when: "2", on: path)
        #expect(failed.status == 66, "\(failed)")
        #expect(try await sent().isEmpty)
    }

    @Test func `refused lines count for the byte to continue at`() async throws {
        let tooLong = String(repeating: "x", count: 1_100_000)
        let lines = ["a", tooLong] + lines + [tooLong, "z"]
        try write(lines)
        let failed = try await run(
            ["save", "app", "-f", path],
            failing: "read",
            with: "EIO",
            when: "7",
            on: path
        )
        #expect(failed.status == 66 && failed.err.contains("record 2 is 1,100,000 bytes"), "\(failed)")
        let rest = try await tool.run("save", "app", "-f", path, "--from-byte", try byte(in: failed))
        #expect(rest.status == 65 && rest.out.contains("; refused 1"), "\(rest)")
        #expect(isSame(try await sent(), as: lines.filter { $0 != tooLong }))
    }
}

// Functions, because a failed expectation with `==` would print every line.
private func isSame(_ some: [String], as others: [String]) -> Bool { some == others }
private func isBeginning(_ some: [String], of all: [String]) -> Bool { some == Array(all.prefix(some.count)) }

private func grouped(_ number: Int) -> String {
    number < 1_000 ? "\(number)" : "\(number / 1_000)," + String(format: "%03d", number % 1_000)
}

extension Data {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
