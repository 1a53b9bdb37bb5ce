import RecorderEngine
import RecorderStore
import RecorderTestSupport

/// Opening a store and reading its size: no more work with a long backlog than with a short one.
let p6Opening = Benchmark(name: "P6", about: "open and diskBytesUsed at a long backlog") { effort in
    let long = try filled(effort.count(1_000_000))
    let short = try filled(1_000)
    let pairs = try Pairs(
        21,
        ours: { try millisecondsToOpen(long) },
        baseline: { try millisecondsToOpen(short) }
    )
    let ours = pairs.ours.median
    let ratio = ours / pairs.baseline.median
    return [
        Figure(
            name: "P6 backlog \(Double(effort.count(1_000_000)).formatted)",
            ratio: ratio,
            target: "<=2, <10 ms",
            isMet: ratio <= 2 && ours < 10,
            behind: "ours \(ours.formatted) ms, at 1,000 records \(pairs.baseline.median.formatted) ms"
        )
    ]
}

private func filled(_ count: Int) throws -> ScratchDirectory {
    let directory = try ScratchDirectory()
    try PipelineHarness(in: directory.path).saveTogether(count)
    return directory
}

private func millisecondsToOpen(_ directory: ScratchDirectory) throws -> Double {
    var bytes = 0
    let time = try ContinuousClock().measure {
        bytes = try PipelineHarness(in: directory.path).pipeline.totals().bytes
    }
    precondition(bytes > 0, "The store should not be empty.")
    return time / .milliseconds(1)
}
