import Foundation
import RecorderAWS
import RecorderEngine
import RecorderTestSupport
import Testing

/// A submit that is given up answers at once, whatever the service does, and takes nothing with it.
@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
    /// Long enough for a busy machine, far below what the gate and the pause take.
    private static let atOnce = Duration.seconds(400)

    /// Where a submit can be when it is given up.
    enum Wait: String, CaseIterable, Sendable {
        case answer, retry
    }

    @Test(arguments: Wait.allCases)
    func `a submit that is given up answers, and its records stay without a failure`(wait: Wait) async throws {
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
        #expect(ContinuousClock.now - start < Self.atOnce)
        #expect(answers.all.count == 1)
        if case .failure(.cancelled)? = answers.all.first {} else { Issue.record("\(answers.all)") }
        #expect(try harness.storedTexts() == ["a", "b", "c"])
        #expect(try harness.storedFailures() == [0, 0, 0])
        #expect(server.requests.count == 1)
    }

    @Test func `a submit that is given up leaves the noted troubles as they are`() async throws {
        let server = try LocalServer { _, index in index == 0 ? .error(400, "ResourceNotFoundException") : .stall }
        let harness = try PipelineHarness(to: server)
        try await harness.save("a")
        _ = try await harness.flush()
        let trouble = try #require(try harness.pipeline.status().streams.first?.lastError)
        let ticket = harness.pipeline.flush { _ in }
        await server.received(2)
        harness.pipeline.withdraw(ticket)
        try await harness.runEnds()
        #expect(try harness.pipeline.status().streams.first?.lastError?.message == trouble.message)
    }

    @Test func `a cancelled submit in which one stream fails keeps the stored errors of the others`() async throws {
        let server = try LocalServer { request, index in
            PutRequestSeen(request).stream == "b" && index > 1 ? .stall : .error(400, "ResourceNotFoundException")
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

    @Test func `a drain waits for the flush under way, and can be cancelled meanwhile`() async throws {
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
        let given = Task { await failure { try await harness.pipeline.drain() } as? RecorderError }
        let kept = Task { try await harness.pipeline.drain() }
        given.cancel()
        if case .cancelled? = await given.value {} else { Issue.record("\(String(describing: await given.value))") }
        gate.open()
        #expect(try await flush.delivered == 1)
        #expect(try await kept.value.delivered == 1)
        #expect(server.requests.count == 2)
    }

    @Test func `a run that somebody else waits for goes on`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let harness = try PipelineHarness(to: server)
        try await harness.saveAll(["a", "b"])
        let given = Recorded<Bool>()
        let first = Recorded<Int>()
        harness.pipeline.flush { first.append((try? $0.get().delivered) ?? -1) }
        let second = harness.pipeline.flush { result in
            if case .failure(.cancelled) = result { given.append(true) } else { given.append(false) }
        }
        await server.received(1)
        harness.pipeline.withdraw(second)
        gate.open()
        _ = try await harness.flush()
        #expect(given.all == [true])
        #expect(first.all == [2])
        #expect(try harness.records() == 0)
    }
}

extension PipelineHarness {
    /// Waits until this pipeline submits no more: another one of the same store gets its turn then, and fails for want of
    /// a service.
    fileprivate func runEnds() async throws {
        let other = try PipelineHarness(in: directory)
        await #expect(throws: RecorderError.self) { try await other.flush() }
    }
}
