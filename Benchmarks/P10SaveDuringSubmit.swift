import Foundation
import RecorderEngine
import RecorderHTTP
import RecorderTestSupport
import Synchronization

/// A save does not wait for the network: its 99th percentile is the same while a submit waits for a slow service.
let p10SaveDuringSubmit = Benchmark(name: "P10", about: "a save while a submit waits on a slow service") { effort in
    let count = effort == .full ? 3_000 : 800
    let trial = try SubmitTrial()
    let pairs = try Pairs(
        ours: { try trial.whileSubmitting { try trial.saveP99(of: count) } },
        baseline: { try trial.saveP99(of: count) }
    )
    return [
        Figure(
            "P10 p99",
            pairs.ratio,
            atMost: 2,
            "ours \(pairs.ours.median.formatted) us, without a submit \(pairs.baseline.median.formatted) us"
        )
    ]
}

/// A store whose records go to a service that answers only when it is released.
private final class SubmitTrial {
    private let directory: ScratchDirectory
    private let harness: PipelineHarness
    private let service = StalledService()

    init() throws {
        directory = try ScratchDirectory()
        harness = try PipelineHarness(
            in: directory.path,
            to: ScriptedTransport { [service] in await service.answer($0.records) }
        )
    }

    /// The 99th percentile of the time of an awaited save, in microseconds.
    func saveP99(of count: Int) throws -> Double {
        try waitFor { [harness] in
            var times: [Double] = []
            for _ in 0..<count {
                let start = ContinuousClock.now
                try await harness.save()
                times.append((ContinuousClock.now - start) / .microseconds(1))
            }
            return times.percentile(99)
        }
    }

    /// Runs `body` while a request of each of four streams waits for its answer, then lets the submit end.
    func whileSubmitting(_ body: () throws -> Double) throws -> Double {
        for stream in 1...4 { harness.saveTogether(1_000, to: "backlog-\(stream)") }
        service.stall()
        let submitted = DispatchSemaphore(value: 0)
        harness.pipeline.flush { _ in submitted.signal() }
        for _ in 1...4 { service.arrivals.wait() }
        defer {
            service.release()
            submitted.wait()
        }
        return try body()
    }
}

/// Holds every request until it is released, then answers them all.
private final class StalledService: Sendable {
    private struct State {
        var isStalled = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Signalled by each request that has to wait.
    let arrivals = DispatchSemaphore(value: 0)

    private let state = Mutex(State())

    func stall() { state.withLock { $0.isStalled = true } }

    func release() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for request in waiting { request.resume() }
    }

    func answer(_ records: Int) async -> HTTPResponse {
        await withCheckedContinuation { continuation in
            let isStalled = state.withLock { state in
                if state.isStalled { state.waiting.append(continuation) }
                return state.isStalled
            }
            if isStalled { arrivals.signal() } else { continuation.resume() }
        }
        return .accepted(records)
    }
}
