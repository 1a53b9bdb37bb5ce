import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Synchronization

/// The cost of one batch with a long backlog: the same as with a short one.
///
/// Besides reading and settling, the figure includes base64, the body and the answer. Their cost does not depend on the
/// backlog and flattens the ratio, so the service here neither counts records nor checks signatures.
let p5BatchCost = Benchmark(name: "P5", about: "one batch of 500 at a long backlog", needsQuiet: false) { effort in
    let backlog = effort.count(1_000_000)
    let long = try BatchTrial(backlog: backlog)
    let short = try BatchTrial(backlog: 1_000)
    let pairs = try Pairs(
        effort == .full ? 41 : 21,
        ours: { try long.microsecondsPerBatch() },
        baseline: { try short.microsecondsPerBatch() }
    )
    return [
        Figure(
            "P5 whole batch at \(Double(backlog).formatted)",
            pairs.ratio,
            atMost: 1.2,
            "ours \(pairs.ours.median.formatted) us CPU a batch of 500, "
                + "at 1,000 records \(pairs.baseline.median.formatted) us"
        ),
        try besideAmplify(short, backlog: 1_000, atMost: 0.7),
        try besideAmplify(BatchTrial(backlog: 10_000), backlog: 10_000, atMost: 0.25),
        try besideAmplify(BatchTrial(backlog: 100_000), backlog: 100_000, atMost: 0.03),
    ]
}

/// Compares a whole batch of ours with Amplify's storage reading and deleting one.
private func besideAmplify(_ trial: BatchTrial, backlog: Int, atMost limit: Double) throws -> Figure {
    let directory = try ScratchDirectory()
    let amplify = AmplifyStorage(path: directory.path("amplify"))
    try waitFor { await amplify.fill(backlog) }
    let pairs = try Pairs(
        ours: { try trial.microsecondsPerBatch() },
        baseline: {
            try waitFor { await amplify.fill(500) }
            let start = Meter.processorTime()
            let deleted = try waitFor { await amplify.takePage() }
            precondition(deleted == 500, "Amplify's page has \(deleted) records.")
            return Double(Meter.processorTime() - start) / 1_000
        }
    )
    return Figure(
        "P5 Amplify's \(Double(backlog).formatted)",
        pairs.ratio,
        atMost: limit,
        "ours \(pairs.ours.median.formatted) us CPU for 500, "
            + "Amplify's SQL without encoding \(pairs.baseline.median.formatted) us"
    )
}

/// A backlog that has the same length before and after each trial.
private final class BatchTrial {
    private let directory: ScratchDirectory
    private let harness: PipelineHarness
    private let service = LimitedService()

    private static let batches = 4
    private static let records = batches * 500

    init(backlog: Int) throws {
        directory = try ScratchDirectory()
        let transport = ScriptedTransport { [service] _ throws(HTTPFailure) in try service.answer() }
        harness = try PipelineHarness(in: directory.path, to: transport, signs: false)
        harness.saveTogether(backlog)
    }

    /// Reads, sends and settles some batches. Measures processor time, because reading and settling overlap.
    func microsecondsPerBatch() throws -> Double {
        harness.saveTogether(Self.records)
        service.open(for: Self.batches)
        let start = Meter.processorTime()
        let report = try waitFor { [harness] in try await harness.flush() }
        let time = Meter.processorTime() - start
        precondition(report.delivered == Self.records, "\(report.delivered) of \(Self.records) records were delivered.")
        return Double(time) / 1_000 / Double(Self.batches)
    }
}

/// Accepts some batches, then refuses connections, so that the rest stays.
private final class LimitedService: Sendable {
    private let left = Mutex(0)
    private let fullAnswer = HTTPResponse.accepted(500)

    func open(for batches: Int) { left.withLock { $0 = batches } }

    func answer() throws(HTTPFailure) -> HTTPResponse {
        let isOpen = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard isOpen else { throw HTTPFailure(.cannotConnect, "This service is closed.") }
        return fullAnswer
    }
}
