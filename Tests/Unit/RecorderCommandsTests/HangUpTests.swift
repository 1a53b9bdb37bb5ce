import Foundation
import Glibc
import RecorderTestSupport
import Testing

/// SIGHUP: to a service a request to read its configuration again, to a program in a terminal the end of that.
@Suite(.timeLimit(.minutes(3))) struct HangUpTests {
    /// Runs a command in a session of its own, with or without a terminal. Reads letters: `h` hangs up, the end asks for a stop.
    private static let session = """
        import os, pty, signal, sys
        if sys.argv[1] == "terminal":
            child, terminal = pty.fork()
        else:
            child, terminal = os.fork(), None
            if child == 0: os.setsid()
        if child == 0:
            error = os.open(sys.argv[2], os.O_WRONLY)
            os.dup2(error, 2)
            os.execv(sys.argv[3], sys.argv[3:])
        while letter := os.read(0, 1):
            if terminal: os.close(terminal)
            else: os.kill(child, signal.SIGHUP)
        if not terminal: os.kill(child, signal.SIGTERM)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)
        """

    private let tool: Tool
    private let socket: NotifySocket
    private let errors: String

    init() throws {
        var tool = try Tool(to: try AcceptingService().url)
        socket = try NotifySocket(tool.home.path("notify"))
        tool.environment["NOTIFY_SOCKET"] = socket.name
        errors = tool.home.path("errors")
        try Data().write(to: URL(fileURLWithPath: errors))
        let flow = #"{"flows":[{"filePattern":"\#(tool.home.path("a.log"))","kinesisStream":"app"}]}"#
        try Data(flow.utf8).write(to: URL(fileURLWithPath: tool.home.path("agent.json")))
        self.tool = tool
    }

    private func start(_ kind: String, _ words: [String]) async throws -> RunningTool {
        let python = ["python3", "-c", Self.session, kind, errors]
        let running = try tool.start(under: python, words)
        while await !socket.next().hasPrefix("READY=1") {}
        return running
    }

    private var printed: String { (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "" }

    @Test(arguments: ["agent", "follow", "submit"])
    func `without a terminal it is ignored, with a warning, and the command runs on`(command: String) async throws {
        let words = [
            "agent": ["agent", "-c", tool.home.path("agent.json")],
            "follow": ["follow", "app", tool.home.path("a.log")],
            "submit": ["submit", "--watch", "3600"],
        ]
        let running = try await start("none", words[command] ?? [])
        running.write(Data("h".utf8))
        let deadline = ContinuousClock.now + .seconds(60)
        while !printed.contains("SIGHUP"), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(printed.contains("warning: SIGHUP is ignored"), "\(printed)")
        let ran = await running.end()
        #expect(ran.status == 0, "\(ran) \(printed)")
    }

    /// A pipe that is full, and that no process reads.
    @Test func `without a terminal a stop ends the command, even while the warning cannot be written`() async throws {
        let stuck = tool.home.path("stuck")
        #expect(mkfifo(stuck, 0o600) == 0)
        let pipe = open(stuck, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(pipe) }
        while write(pipe, stuck, 1) == 1 {}
        let python = ["python3", "-c", Self.session, "none", stuck]
        let running = try tool.start(under: python, ["submit", "--watch", "3600"])
        while await !socket.next().hasPrefix("READY=1") {}
        running.write(Data("h".utf8))
        let ran = await running.end()
        #expect(ran.status == 0, "\(ran)")
    }

    @Test func `when its terminal hangs up, the command ends`() async throws {
        let running = try await start("terminal", ["submit", "--watch", "3600"])
        running.write(Data("h".utf8))
        var message = await socket.next()
        while message.hasPrefix("STATUS=") { message = await socket.next() }
        #expect(message == "STOPPING=1\nSTATUS=stopping")
        #expect(await running.end().status == 0)
        #expect(!printed.contains("ignored"), "\(printed)")
    }
}
