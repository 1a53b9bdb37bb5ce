import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderEngine
import RecorderTestSupport
import Testing

@testable import RecorderStore

/// A withdrawn submit ends at once, whatever the service does, and loses no record.
@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
    /// Long enough for a busy machine, and far below the waits of the gate and the pause.
    private static let promptLimit = Duration.seconds(400)

    /// What a submit waits for when it is withdrawn.
    enum Wait: String, CaseIterable, Sendable {
        case answer, retry
    }

    @Test(arguments: Wait.allCases)
    func `a withdrawn submit ends, and its records stay without a failure`(wait: Wait) async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            guard wait == .answer else { return .error(503, "ServiceUnavailable") }
            gate.wait()
            return .kinesis(request)
        }
        defer { gate.open() }
        let harness = try PipelineHarness(.kinesis, to: server) {
            $0.pause = { _ in try await Task.sleep(for: .seconds(3_600)) }
        }
        try await harness.saveAll(["a", "b", "c"])
        let answers = Recorded<Result<FlushReport, RecorderError>>()
        let ticket = harness.pipeline.flush { answers.append($0) }
        await server.received(1)
        let start = ContinuousClock.now
        harness.pipeline.withdraw(ticket)
        try await harness.runEnds()
        #expect(ContinuousClock.now - start < Self.promptLimit)
        #expect(answers.all.count == 1)
        if case .failure(.cancelled)? = answers.all.first {} else { Issue.record("\(answers.all)") }
        #expect(try harness.storedTexts() == ["a", "b", "c"])
        #expect(try harness.storedFailures() == [0, 0, 0])
        #expect(server.requests.count == 1)
    }

    @Test func `a submit that is withdrawn while an answer is being settled sends no more`() async throws {
        let directory = try TemporaryDirectory()
        let lock = Locked<StoreLock?>(nil)
        let server = try LocalServer { request, index in
            // From its second answer on, the store is slower than the service. (No batch is read ahead during the first.)
            if index == 1 {
                let other = StoreLock(path: directory.path("kinesis.db.lock"))
                #expect((try? other.tryLock()) == true)
                lock.withLock { $0 = other }
            }
            return .kinesis(request)
        }
        let harness = try PipelineHarness(.kinesis, to: server, in: directory)
        try await harness.saveAll((0..<3_000).map(String.init))
        let ticket = harness.pipeline.flush { _ in }
        await server.received(3)
        harness.pipeline.withdraw(ticket)
        lock.withLock { $0 = nil }
        try await harness.runEnds()
        #expect(server.requests.count == 3)
        #expect(try harness.records() >= 1_500)
    }

    @Test func `a withdrawn submit leaves a stream's last error unchanged`() async throws {
        let server = try LocalServer { _, index in index == 0 ? .error(400, "ResourceNotFoundException") : .stall }
        let harness = try PipelineHarness(to: server)
        try await harness.save("a")
        _ = try await harness.flush()
        let lastError = try #require(try harness.pipeline.status().streams.first?.lastError)
        let ticket = harness.pipeline.flush { _ in }
        await server.received(2)
        harness.pipeline.withdraw(ticket)
        try await harness.runEnds()
        #expect(try harness.pipeline.status().streams.first?.lastError?.message == lastError.message)
    }

    @Test func `a cancelled submit in which one stream fails keeps the stored errors of the others`() async throws {
        let server = try LocalServer { request, index in
            ParsedPutRequest(request).stream == "b" && index > 1 ? .stall : .error(400, "ResourceNotFoundException")
        }
        let harness = try PipelineHarness(to: server) { $0.parallelStreams = 1 }
        for stream in ["a", "b"] { try await harness.save("text", to: stream) }
        _ = try await harness.flush()
        let ticket = harness.pipeline.flush { _ in }
        await server.received(4)
        harness.pipeline.withdraw(ticket)
        try await harness.runEnds()
        let errors = try harness.pipeline.status().streams.map { $0.lastError != nil }
        #expect(errors == [true, true])
    }

    @Test func `a drain waits for the running flush, and can be cancelled meanwhile`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.save("a")
        async let flush = harness.flush()
        await server.received(1)
        try await harness.save("b")
        let withdrawn = Task { await failure { try await harness.pipeline.drain() } as? RecorderError }
        let kept = Task { try await harness.pipeline.drain() }
        withdrawn.cancel()
        if case .cancelled? = await withdrawn.value {
        } else {
            Issue.record("\(String(describing: await withdrawn.value))")
        }
        gate.open()
        #expect(try await flush.delivered == 1)
        #expect(try await kept.value.delivered == 1)
        #expect(server.requests.count == 2)
    }

    @Test func `a run that another caller waits for continues`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["a", "b"])
        let withdrawn = Recorded<Bool>()
        let first = Recorded<Int>()
        harness.pipeline.flush { first.append((try? $0.get().delivered) ?? -1) }
        let second = harness.pipeline.flush { result in
            if case .failure(.cancelled) = result { withdrawn.append(true) } else { withdrawn.append(false) }
        }
        await server.received(1)
        harness.pipeline.withdraw(second)
        gate.open()
        _ = try await harness.flush()
        #expect(withdrawn.all == [true])
        #expect(first.all == [2])
        #expect(try harness.records() == 0)
    }
}

extension PipelineHarness {
    /// Waits until this pipeline's run has ended: only then can another pipeline of the store submit, which fails
    /// because it has no service.
    fileprivate func runEnds() async throws {
        let other = try PipelineHarness(in: directory)
        await #expect(throws: RecorderError.self) { try await other.flush() }
    }
}
