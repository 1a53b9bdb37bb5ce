import Foundation
import RecorderTestSupport
import Testing

/// A submit whose answer never ends is itself ended: by its time limits, and within ten seconds of the first SIGTERM.
@Suite(.timeLimit(.minutes(10))) struct StopTests {
    /// A server that never finishes an answer: it sends nothing, or a byte now and then for hours.
    enum Unfinished: CaseIterable {
        case silent, trickling

        var reply: Reply {
            switch self {
            case .silent: .stall
            case .trickling: .trickle(status: 200, body: Array(repeating: 32, count: 1 << 20), every: .milliseconds(50))
            }
        }
    }

    @Test(arguments: Unfinished.allCases, [["submit"], ["submit", "--watch", "1"], ["save", "app", "--submit"]])
    func `a signal ends a submit within ten seconds, and the records stay`(
        server: Unfinished,
        command: [String]
    ) async throws {
        let server = try LocalServer { [reply = server.reply] _, _ in reply }
        let tool = try Tool(to: server.url)
        _ = try await tool.run("save", "app", input: Data("a\nb\n".utf8))
        let running = try tool.start(command)
        await server.received(1)
        let (ran, seconds) = try await Self.stop(running)
        // A stop is how a command ends that would run on.
        #expect(ran.status == (command == ["submit"] ? 128 + SIGTERM : 0), "\(ran)")
        #expect((0..<10).contains(seconds) && !ran.out.isEmpty)
        #expect(try await tool.run("status", "--json").out.contains("\"records\" : 2"))
    }

    @Test func `a submit that a signal stops counts the records of every store as left`() async throws {
        let server = try LocalServer { _, _ in .stall }
        let tool = try Tool(to: server.url)
        _ = try await tool.run("save", "app", input: Data("a\nb\n".utf8))
        _ = try await tool.run("save", "app", "--firehose", input: Data("c\n".utf8))
        let running = try tool.start(["submit", "--json"])
        await server.received(1)
        let ran = try await Self.stop(running).0
        #expect(ran.status == 128 + SIGTERM && ran.out.contains("\"left\" : 3"), "\(ran)")
    }

    @Test(arguments: Unfinished.allCases)
    func `an endless answer ends at the time limit, and the records stay`(
        server: Unfinished
    ) async throws {
        let server = try LocalServer { [reply = server.reply] _, _ in reply }
        let tool = try Tool(to: server.url)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let ran = try await tool.run("submit", "--request-timeout", "1s", "--read-timeout", "1")
        #expect(ran.status == 75, "\(ran)")
        #expect(server.requests.count == 3)
        #expect(ran.out.contains("1 left"))
    }

    @Test func `the doctor waits no longer for an answer than a submit does`() async throws {
        let server = try LocalServer { _, _ in Unfinished.trickling.reply }
        let ran = try await Tool(to: server.url).run("doctor", "--request-timeout", "1s")
        #expect(ran.status == 75, "\(ran)")
        #expect(ran.out.contains("FAIL  service     127.0.0.1"))
        #expect(server.requests.count == 2)
    }

    @Test func `a signal ends the wait for credentials within ten seconds`() async throws {
        let service = try LocalServer { _, _ in .json(200, "{}") }
        let tokens = try LocalServer { _, _ in .stall }
        var tool = try Tool(to: service.url)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let token = tool.home.path("token")
        try Data("token".utf8).write(to: URL(fileURLWithPath: token))
        tool.environment["AWS_ACCESS_KEY_ID"] = nil
        tool.environment["AWS_SECRET_ACCESS_KEY"] = nil
        tool.environment["AWS_ROLE_ARN"] = "arn:aws:iam::123456789012:role/recorder"
        tool.environment["AWS_WEB_IDENTITY_TOKEN_FILE"] = token
        tool.environment["AWS_ENDPOINT_URL_STS"] = tokens.url
        let running = try tool.start(["submit"])
        await tokens.received(1)
        let (ran, seconds) = try await Self.stop(running)
        #expect(ran.status == 128 + SIGTERM, "\(ran)")
        #expect((0..<10).contains(seconds) && !ran.out.isEmpty)
        #expect(service.requests.isEmpty)
    }

    /// Sends SIGTERM and waits for the end, which is forced after a minute. Returns the seconds until the last line.
    private static func stop(_ running: RunningTool) async throws -> (Tool.Ran, TimeInterval) {
        let start = Date()
        #expect(running.signal(SIGTERM) == 0)
        let force = Task {
            try await Task.sleep(for: .seconds(60))
            _ = running.signal(SIGKILL)
        }
        let ran = await running.end(closesInput: false)
        force.cancel()
        return (ran, ran.lastPrinted.timeIntervalSince(start))
    }
}
