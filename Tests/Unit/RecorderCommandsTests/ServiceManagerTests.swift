import Foundation
import RecorderSQLite
import RecorderTestSupport
import Testing

/// What systemd is told about a unit with `Type=notify`.
@Suite(.timeLimit(.minutes(2))) struct ServiceManagerTests {
    @Test(arguments: [false, true])
    func `a watch says when it is ready, what it does and that it stops`(isAbstract: Bool) async throws {
        let service = try AcceptingService()
        var tool = try Tool(to: service.url)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let name = isAbstract ? "@recorder-test-\(UUID().uuidString)" : tool.home.path("notify")
        let socket = try NotifySocket(name)
        tool.environment["NOTIFY_SOCKET"] = name
        let running = try tool.start(["submit", "--watch", "3600"])
        #expect(await socket.next() == "READY=1\nSTATUS=submitting")
        #expect(await socket.next() == "STATUS=everything stored before the last submit was sent")
        #expect(running.signal(SIGTERM) == 0)
        #expect(await socket.next() == "STOPPING=1\nSTATUS=stopping")
        #expect(await running.end().err == "")
    }

    @Test(.enabled(if: Privileges.traces, "strace is missing, or not permitted to trace"))
    func `the message that a watch stops is sent before it ends, however long that takes`() async throws {
        var tool = try Tool(to: try AcceptingService().url)
        let socket = try NotifySocket(tool.home.path("notify"))
        tool.environment["NOTIFY_SOCKET"] = socket.name
        // With -D the tool is the child, so that the signal goes to it.
        let strace = ["strace", "-D", "-f", "-qq", "-o", tool.home.path("trace"), "-e", "trace=sendto"]
        let slowly = ["-e", "inject=sendto:delay_enter=300000"]
        let running = try tool.start(under: strace + slowly, ["submit", "--watch", "3600"])
        _ = await socket.next()
        _ = await socket.next()
        #expect(running.signal(SIGTERM) == 0)
        #expect(await socket.next() == "STOPPING=1\nSTATUS=stopping")
        _ = await running.end()
    }

    @Test func `an error of the service is the unit's status`() async throws {
        let service = try LocalServer { _, _ in .json(400, #"{"__type":"ResourceNotFoundException","message":"no"}"#) }
        var tool = try Tool(to: service.url)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let socket = try NotifySocket(tool.home.path("notify"))
        tool.environment["NOTIFY_SOCKET"] = socket.name
        let running = try tool.start(["submit", "--watch", "3600"])
        _ = await socket.next()
        #expect(await socket.next().hasPrefix("STATUS=kinesis: app: "))
        _ = running.signal(SIGTERM)
        _ = await running.end()
    }

    @Test func `a follower with an unusable directory ends, and systemd is not told that its start is complete`()
        async throws
    {
        var tool = try Tool(to: try AcceptingService().url)
        let socket = try NotifySocket(tool.home.path("notify"))
        tool.environment["NOTIFY_SOCKET"] = socket.name
        let ran = await (try tool.start(["follow", "app", "a.log", "-d", "/dev/null/store"])).end()
        #expect(ran.status == 74 && ran.err.contains("/dev/null is not a directory"), "\(ran)")
        #expect(socket.isEmpty)
    }

    @Test func `a watch with an unusable directory says so to systemd, and not that its start is complete`()
        async throws
    {
        var tool = try Tool(to: try AcceptingService().url)
        let socket = try NotifySocket(tool.home.path("notify"))
        tool.environment["NOTIFY_SOCKET"] = socket.name
        let running = try tool.start(["submit", "--watch", "3600", "-d", "/dev/null/store"])
        #expect(await socket.next().hasPrefix("STATUS=directory: "))
        _ = running.signal(SIGTERM)
        #expect(await socket.next().hasPrefix("STOPPING=1"))
        #expect(await running.end().status == 0)
    }

    @Test func `a watch without a region ends at its start, which systemd is not told to be complete`() async throws {
        var tool = try Tool()
        let socket = try NotifySocket(tool.home.path("notify"))
        tool.environment["NOTIFY_SOCKET"] = socket.name
        let ran = try await tool.run("submit", "--watch", "3600")
        #expect(ran.status == 78 && ran.err.contains("No region is set"), "\(ran)")
        #expect(socket.isEmpty)
    }

    @Test func `a watch ends although the service manager reads nothing`() async throws {
        var tool = try Tool(to: "http://127.0.0.1:1")
        let socket = try NotifySocket(tool.home.path("notify"))
        tool.environment["NOTIFY_SOCKET"] = socket.name
        let running = try tool.start(["submit", "--watch", "3600"])
        _ = await socket.next()
        _ = await socket.next()
        try socket.fill()
        #expect(running.signal(SIGTERM) == 0)
        let ran = await running.end()
        #expect(ran.status == 0 && ran.err.contains("cannot be written: Resource temporarily unavailable"), "\(ran)")
    }

    @Test func `a watch is ready once its store can be opened`() async throws {
        let service = try AcceptingService()
        var tool = try Tool(to: service.url)
        let (store, aside) = (tool.home.path("store"), tool.home.path("aside"))
        _ = try await tool.run("save", "app", "-d", store, input: Data("a\n".utf8))
        try SQLiteConnection.emptyLog(of: "\(store)/kinesis.db")
        try FileManager.default.moveItem(atPath: "\(store)/kinesis.db", toPath: aside)
        try FileManager.default.createDirectory(atPath: "\(store)/kinesis.db", withIntermediateDirectories: false)
        let socket = try NotifySocket(tool.home.path("notify"))
        tool.environment["NOTIFY_SOCKET"] = socket.name
        let running = try tool.start(["submit", "--watch", "1", "-d", store])
        #expect(await socket.next().hasPrefix("STATUS=kinesis: "))
        try FileManager.default.removeItem(atPath: "\(store)/kinesis.db")
        try FileManager.default.moveItem(atPath: aside, toPath: "\(store)/kinesis.db")
        var message = await socket.next()
        while message.hasPrefix("STATUS=kinesis: ") { message = await socket.next() }
        #expect(message.hasPrefix("READY=1\n"), "\(message)")
        _ = running.signal(SIGTERM)
        #expect(await running.end().status == 0)
    }

    @Test func `a socket that cannot be written is an error that names it, and the command goes on`() async throws {
        var tool = try Tool(to: try AcceptingService().url)
        for name in ["vsock:2:1", tool.home.path("nothing"), "/" + String(repeating: "x", count: 200)] {
            tool.environment["NOTIFY_SOCKET"] = name
            let ran = try await tool.run("submit")
            #expect(
                ran.status == 0 && ran.err.contains("NOTIFY_SOCKET is \(name), which cannot be written: "),
                "\(ran)"
            )
        }
    }
}
