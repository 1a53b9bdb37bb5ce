import Foundation
import Glibc
import RecorderConcurrency
import RecorderSQLite
import RecorderTestSupport
import Testing

/// `submit --watch` survives temporary errors: it prints each error once, and continues when it is over.
@Suite(.timeLimit(.minutes(5))) struct WatchTests {
    private let service: AcceptingService
    private let tool: Tool
    private let store: String

    init() throws {
        service = try AcceptingService()
        tool = try Tool(to: service.url)
        store = tool.home.path(".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/kinesis.db")
    }

    /// Returns after this many rounds of the watch. In each, one record for Firehose is sent.
    private func rounds(_ count: Int) async throws {
        for number in 1...count {
            _ = try await tool.run("save", "app", "-F", input: Data("b\n".utf8))
            await service.received(number)
        }
    }

    @Test func `a store that cannot be opened is reported once, and sent when it can be`() async throws {
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let aside = tool.home.path("aside")
        try SQLiteConnection.emptyLog(of: store)
        try FileManager.default.moveItem(atPath: store, toPath: aside)
        try #require(mkfifo(store, 0o600) == 0)
        #expect(try await tool.run("submit").status == 74)
        let watch = try tool.start(["submit", "--watch", "1s"])
        try await rounds(3)
        // At once: without a file there, a round would make a new store.
        try #require(rename(aside, store) == 0)
        await service.received(4)
        #expect(watch.signal(SIGTERM) == 0)
        let ran = await watch.end()
        #expect(ran.status == 0, "\(ran)")
        #expect(ran.err.split(separator: "\n").count == 2, "\(ran)")
        #expect(ran.err.contains(store) && ran.err.contains("kinesis: sending works again."), "\(ran)")
        #expect(ran.out.contains("kinesis: 1 record delivered"), "\(ran)")
    }

    @Test(arguments: [["submit", "--watch", "1"], ["save", "app", "--submit"]])
    func `an error whose text has another request ID or time each time is reported once`(words: [String]) async throws {
        let server = try LocalServer { _, index in
            let message = "Stream app is missing, after \(index) ms: \(index) bytes (Request ID: \(UUID().uuidString))."
            return .error(400, "ResourceNotFoundException", message: message)
        }
        let tool = try Tool(to: server.url)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let running = try tool.start(words)
        await server.received(2)
        #expect(running.signal(SIGTERM) == 0)
        let ran = await running.end()
        #expect(ran.err.components(separatedBy: "Stream app is missing").count == 2, "\(ran)")
    }

    @Test func `an error that takes the place of another one is reported, though only a number differs`() async throws {
        let status = Locked(503)
        let server = try LocalServer { _, _ in .html(status.withLock { $0 }, "") }
        let tool = try Tool(to: server.url)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let running = try tool.start(["submit", "--watch", "1"])
        for next in [503, 403] {
            status.withLock { $0 = next }
            while !running.printedErrors.contains("status \(next)") { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(running.signal(SIGTERM) == 0)
        #expect(await running.end().err.split(separator: "\n").count == 2)
    }

    @Test func `a submit that takes longer than the pause of its watch has its own duration`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            guard request.operation == "PutRecords" else {
                return .json(200, #"{"FailedPutCount":0,"RequestResponses":[{"RecordId":"1"}]}"#)
            }
            gate.wait()
            return .json(200, #"{"FailedRecordCount":0,"Records":[{"SequenceNumber":"1","ShardId":"s"}]}"#)
        }
        let tool = try Tool(to: server.url)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let watch = try tool.start(["submit", "--watch", "1"])
        await server.received(1)
        let start = ContinuousClock.now
        for number in 2...4 {
            _ = try await tool.run("save", "app", "-F", input: Data("b\n".utf8))
            await server.received(number)
        }
        let least = (ContinuousClock.now - start) / .seconds(1)
        gate.open()
        // Its last submit begins after that of the record.
        _ = try await tool.run("save", "app", "-F", input: Data("b\n".utf8))
        await server.received(5)
        #expect(watch.signal(SIGTERM) == 0)
        let ran = await watch.end()
        let seconds = ran.out.firstMatch(of: /kinesis: 1 record delivered in ([0-9.]+) s/)?.1
        #expect(try #require(seconds.flatMap { Double($0) }, "\(ran)") >= least - 0.1, "\(ran)")
    }

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["STRESS"] != nil,
            "it waits for a lock for as long as the tool does"
        )
    )
    func `a lock that a stopped process holds is reported once, and the records are sent when it is free`() async throws
    {
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let python = """
            import fcntl, os, signal, sys
            f = open(sys.argv[1], 'r+')
            fcntl.flock(f, fcntl.LOCK_EX)
            print('held', flush=True)
            os.kill(os.getpid(), signal.SIGSTOP)
            """
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        holder.arguments = ["python3", "-c", python, "\(store).lock"]
        let output = Pipe()
        holder.standardOutput = output
        let end = try ProcessEnd(starting: holder)
        defer { kill(holder.processIdentifier, SIGKILL) }
        _ = try output.fileHandleForReading.read(upToCount: 4)
        let once = try await tool.run("submit")
        #expect(once.status == 74, "\(once)")
        let watch = try tool.start(["submit", "--watch", "1s"])
        try await rounds(2)
        kill(holder.processIdentifier, SIGCONT)
        await end.finished()
        await service.received(3)
        #expect(watch.signal(SIGTERM) == 0)
        let ran = await watch.end()
        #expect(ran.status == 0, "\(ran)")
        #expect(ran.err.split(separator: "\n").count == 2, "\(ran)")
        #expect(ran.out.contains("kinesis: 1 record delivered"), "\(ran)")
    }
}
