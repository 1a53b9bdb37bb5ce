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
        let road = try Road(.kinesis, to: server) { $0.pause = { _ in try await Task.sleep(for: .seconds(3_600)) } }
        try await road.saveAll(["a", "b", "c"])
        let answers = Recorded<Result<FlushReport, RecorderError>>()
        let ticket = road.pipeline.flush { answers.append($0) }
        await server.received(1)
        let start = ContinuousClock.now
        road.pipeline.giveUp(ticket)
        try await road.runEnds()
        #expect(ContinuousClock.now - start < Self.atOnce)
        #expect(answers.all.count == 1)
        if case .failure(.cancelled)? = answers.all.first {} else { Issue.record("\(answers.all)") }
        #expect(try road.storedTexts() == ["a", "b", "c"])
        #expect(try road.storedFailures() == [0, 0, 0])
        #expect(server.requests.count == 1)
    }

    @Test func `a run that somebody else waits for goes on`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            gate.wait()
            return .kinesis(request)
        }
        let road = try Road(to: server)
        try await road.saveAll(["a", "b"])
        let given = Recorded<Bool>()
        let first = Recorded<Int>()
        road.pipeline.flush { first.append((try? $0.get().delivered) ?? -1) }
        let second = road.pipeline.flush { result in
            if case .failure(.cancelled) = result { given.append(true) } else { given.append(false) }
        }
        await server.received(1)
        road.pipeline.giveUp(second)
        gate.open()
        _ = try await road.flush()
        #expect(given.all == [true])
        #expect(first.all == [2])
        #expect(try road.records() == 0)
    }
}

extension Road {
    /// Waits until this pipeline submits no more: another one of the same store gets its turn then, and fails for want of
    /// a service.
    fileprivate func runEnds() async throws {
        let other = try Road(in: directory)
        await #expect(throws: RecorderError.self) { try await other.flush() }
    }
}
