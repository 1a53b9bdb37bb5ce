import Foundation
import RecorderTestSupport
import Testing

/// A command that runs until it is stopped says that there is no thread, and goes on when there is one.
@Suite(.timeLimit(.minutes(3)), .enabled(if: OtherUser.runsPrograms, "the limit does not hold for root"))
struct ThreadShortageTests {
    private let service: AcceptingService
    private let tool: Tool

    init() throws {
        service = try AcceptingService()
        tool = try Tool(to: service.url)
        OtherUser.give(tool.home.path)
    }

    private func start(_ words: [String]) throws -> RunningTool { try tool.start(under: OtherUser.prefix, words) }

    private func save(_ text: String) async throws {
        let saving = try start(["save", "app"])
        saving.write(Data("\(text)\n".utf8))
        #expect(await saving.end().status == 0)
    }

    /// Has `add` add a record while `running` gets no thread, and gives it threads once it has said so.
    private func check(_ running: RunningTool, adding add: () async throws -> Void) async throws {
        // That of its tasks is left.
        ThreadLimit.waitForStoreThreads(1, of: running.id)
        ThreadLimit.set(false, for: running.id)
        try await add()
        let deadline = ContinuousClock.now + .seconds(60)
        while !running.printedErrors.contains("no further thread"), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        ThreadLimit.set(true, for: running.id)
        await service.received(2)
        #expect(running.signal(SIGTERM) == 0)
        let ran = await running.end(closesInput: false)
        #expect(ran.status == 0 && ran.err.contains("ulimit -u"), "\(ran)")
        #expect(Set(service.payloads.map { String(decoding: $0, as: UTF8.self) }) == ["a", "b"])
    }

    @Test func `submit --watch`() async throws {
        try await save("a")
        let watch = try start(["submit", "--watch", "1s"])
        await service.received(1)
        try await check(watch) { try await save("b") }
    }

    @Test func `follow --submit`() async throws {
        let log = tool.home.path("a.log")
        try Data("a\n".utf8).write(to: URL(fileURLWithPath: log))
        OtherUser.give(log)
        let follow = try start(["follow", "app", log, "--submit"])
        await service.received(1)
        try await check(follow) {
            let file = try #require(FileHandle(forWritingAtPath: log))
            try file.seekToEnd()
            try file.write(contentsOf: Data("b\n".utf8))
            try file.close()
        }
    }
}
