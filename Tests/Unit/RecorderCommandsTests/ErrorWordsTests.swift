import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// What the tool says when something is wrong is true, and its status is the documented one.
@Suite(.timeLimit(.minutes(5))) struct ErrorWordsTests {
    @Test(arguments: [
        ["submit"], ["status"], ["peek", "app"], ["export"], ["verify"], ["rejected"], ["clear", "--yes"], ["list"],
    ])
    func `a directory that was typed and does not exist is an error that names it`(command: [String]) async throws {
        let tool = try Tool(to: "http://127.0.0.1:1")
        let path = tool.home.path("missing/store")
        let ran = await (try tool.start(command + ["--directory", path])).end()
        #expect(ran.status == 74 && ran.out == "", "\(ran)")
        #expect(ran.err.contains("The directory \(path) does not exist. Check --directory."), "\(ran)")
        #expect(!FileManager.default.fileExists(atPath: tool.home.path("missing")))
    }

    @Test func `a watch says once that its directory does not exist, and sends when there is one`() async throws {
        let service = try AcceptingService()
        let tool = try Tool(to: service.url)
        let path = tool.home.path("store")
        let running = try tool.start(["submit", "--watch", "1", "-d", path])
        while !running.printedErrors.contains("does not exist") { try await Task.sleep(for: .milliseconds(20)) }
        _ = try await tool.run("save", "app", "-d", path, input: Data("a\n".utf8))
        await service.received(1)
        _ = running.signal(SIGTERM)
        let ran = await running.end()
        #expect(ran.status == 0 && ran.err.split(separator: "\n").count == 2, "\(ran)")
        #expect(ran.err.contains("directory: it can be used again."), "\(ran)")
    }

    @Test func `a backup that is put over an open store is said to have lost what was saved since`() async throws {
        let tool = try Tool()
        let (directory, backup) = (tool.home.path("store"), tool.home.path("backup"))
        _ = try await tool.run("save", "app", "-d", directory, input: Data("1\n2\n".utf8))
        func copy(_ from: String, _ to: String) async throws {
            try await tool.python("import subprocess; subprocess.run(['cp', '-a', '\(from)', '\(to)'], check=True)")
        }
        try await copy(directory, backup)
        let running = try tool.start(["save", "app", "-d", directory])
        for line in 3...5 {
            running.write(Data("\(line)\n".utf8))
            let stored = { try StoredRecord.all(at: "\(directory)/kinesis.db").count }
            try await waitUntil { ((try? stored()) ?? 0) >= line }
        }
        try await copy("\(backup)/.", directory)
        running.write(Data("6\n".utf8))
        let ran = await running.end()
        #expect(ran.err.contains("was overwritten with an earlier state of itself"), "\(ran)")
        #expect(ran.err.contains("of the 3 records that were saved since, those are lost"), "\(ran)")
    }

    @Test func `where nothing is stored, records under other keys are named`() async throws {
        let tool = try Tool(to: "http://127.0.0.1:1")
        let directory = tool.home.path("store")
        _ = try await tool.run("save", "app", "-d", directory, "-k", "firehose", input: Data("a\n".utf8))
        _ = try await tool.run("save", "app", "-d", directory, "-k", "a b", input: Data("a\nb\n".utf8))
        let named = "1 record under --key firehose, 2 records under --key sha256."
        for command in [["submit"], ["status"], ["verify"], ["clear", "--yes"]] {
            let ran = await (try tool.start(command + ["-d", directory])).end()
            #expect(ran.status == 0 && ran.out.contains("nothing is stored in \(directory), but \(named)"), "\(ran)")
        }
        let other = try await tool.run("submit", "-d", directory, "-k", "none")
        #expect(other.out.contains("but 1 record under --key firehose"), "\(other)")
        _ = try await tool.run("save", "app", "-d", directory, input: Data("a\n".utf8))
        #expect(try await tool.run("status", "-d", directory).out.contains("also in this directory: \(named)"))
        let hash = try #require(try await tool.run("list", "-d", directory).out.firstMatch(of: /sha256\.[0-9a-f]{64}/))
        #expect(try await tool.run("status", "-d", directory, "-k", "\(hash.output)").out.contains("2 records"))
        let keyed = try await tool.run("status", "-d", directory, "-k", "firehose")
        #expect(keyed.out.contains("1 record") && !keyed.out.contains("also in"), "\(keyed)")
    }

    @Test(arguments: [["save", "app", "--submit"], ["submit", "--watch", "1"]])
    func `a signal during an outage does not say that sending works again`(command: [String]) async throws {
        let holds = Locked(false)
        let (reached, ended) = (Gate(), Gate())
        let server = try LocalServer { _, _ in
            // After the error of the first submit, no request is answered.
            if holds.withLock({ $0 }) {
                reached.open()
                ended.wait()
            }
            return .error(500, "InternalFailure")
        }
        let tool = try Tool(to: server.url)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let running = try tool.start(command)
        while !running.printedErrors.contains("injected failure") { try await Task.sleep(for: .milliseconds(20)) }
        holds.withLock { $0 = true }
        try await onNewThread(named: "test-gate") { reached.wait() }
        _ = running.signal(SIGTERM)
        let ran = await running.end()
        ended.open()
        #expect(ran.status == 0 && ran.err.contains("injected failure"), "\(ran)")
        #expect(!(ran.err + ran.out).contains("again."), "\(ran)")
        #expect(!(ran.err + ran.out).contains("nothing is left"), "\(ran)")
    }

    @Test(arguments: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"])
    func `a key with a line end, or half a pair, is 78, before a request is made`(variable: String) async throws {
        let server = try LocalServer { _, _ in .json(200, "{}") }
        var tool = try Tool(to: server.url)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        tool.environment[variable] = "canary\nvalue"
        let ran = try await tool.run("submit")
        #expect(ran.status == 78 && ran.err.contains("(environment) has a line end in it."), "\(ran)")
        let doctor = try await tool.run("doctor")
        #expect(doctor.status == 78 && doctor.out.contains("FAIL  credentials The "), "\(doctor)")
        #expect(server.requests.isEmpty && !(ran.err + doctor.out).contains("canary"))
        guard variable != "AWS_SESSION_TOKEN" else { return }
        tool.environment[variable] = nil
        let half = try await tool.run("submit")
        #expect(half.status == 78 && half.err.contains("set both"), "\(half)")
    }

    @Test func `advice names the option that was given, and what a service says ends as a sentence`() async throws {
        let server = try LocalServer { _, _ in .error(400, "ResourceNotFoundException", message: "no such stream") }
        let tool = try Tool(to: server.url)
        let saved = try await tool.run("save", "app", "-d", "/dev/null/store", input: Data("a\n".utf8))
        #expect(saved.status == 74 && saved.err.contains("or set --directory to a directory that is."), "\(saved)")
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let sent = try await tool.run("submit")
        #expect(sent.status == 69 && sent.err.hasSuffix("kinesis: app: no such stream.\n"), "\(sent)")
        let missing = tool.home.path("status.json")
        let audit = try await tool.run("audit", "app", "--status", missing)
        #expect(
            audit.status == 66 && audit.err.contains("--status \(missing) cannot be read: No such file"),
            "\(audit)"
        )
    }

    @Test func `a proxy that cannot be used is a wrong setting`() async throws {
        var tool = try Tool(to: "https://127.0.0.2:1")
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        tool.environment["https_proxy"] = "foo://proxy"
        let ran = try await tool.run("submit")
        #expect(ran.status == 78 && ran.err.contains("the proxy that the environment names cannot be used"), "\(ran)")
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cc") && !isSanitized,
            "it compiles a library, which is loaded before that of a sanitizer"
        )
    )
    func `a file system without locks is called that, and not another process`() async throws {
        var tool = try Tool(to: "http://127.0.0.1:1")
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        tool.environment["LD_PRELOAD"] = try await Self.libraryWithoutLocks(in: tool.home)
        for command in [["save", "app"], ["status"], ["submit"], ["verify"]] {
            let ran = await (try tool.start(command)).end()
            #expect(ran.status == 74 && ran.err.contains("cannot be locked: No locks available."), "\(ran)")
            #expect(ran.err.contains("a directory on a local disk") && !ran.err.contains("process"), "\(ran)")
        }
    }

    /// A library whose locks fail as on NFS without a lock service.
    private static func libraryWithoutLocks(in home: TemporaryDirectory) async throws -> String {
        let (source, library) = (home.path("nolocks.c"), home.path("nolocks.so"))
        let text = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <errno.h>
            #include <fcntl.h>
            #include <stdarg.h>
            #include <sys/file.h>
            int flock(int fd, int operation) { errno = ENOLCK; return -1; }
            static int control(const char *name, int fd, int command, void *argument) {
                if (command == F_SETLK || command == F_SETLKW || command == F_GETLK) { errno = ENOLCK; return -1; }
                int (*next)(int, int, void *) = dlsym(RTLD_NEXT, name);
                return next(fd, command, argument);
            }
            #define ARGUMENT(c) va_list l; va_start(l, c); void *a = va_arg(l, void *); va_end(l)
            int fcntl(int fd, int command, ...) { ARGUMENT(command); return control("fcntl", fd, command, a); }
            int fcntl64(int fd, int command, ...) { ARGUMENT(command); return control("fcntl64", fd, command, a); }
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: source))
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/cc")
        compiler.arguments = ["-shared", "-fPIC", "-o", library, source, "-ldl"]
        await (try ProcessEnd(starting: compiler)).finished()
        #expect(compiler.terminationStatus == 0)
        return library
    }

    @Test func `an input that cannot be read at all is 66, and none of it is called done`() async throws {
        let tool = try Tool()
        let directory = try await tool.run("save", "app", "--file", "/tmp")
        #expect(directory.status == 66 && !directory.err.contains("are done"), "\(directory)")
        let missing = tool.home.path("missing")
        for path in [missing, "/tmp"] {
            let ran = try await tool.run("import", path)
            #expect(ran.status == 66 && ran.err.contains(path), "\(ran)")
        }
        #expect(try await tool.run("import", missing).err.contains("\(missing) cannot be read: No such file"))
    }
}
