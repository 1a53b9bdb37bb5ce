import RecorderTestSupport

/// The peak memory of `kinesis-recorder submit` with a long backlog.
let p7DrainMemory = Benchmark(name: "P7", about: "peak memory of draining a long backlog", needsQuiet: false) {
    effort in
    let count = effort.count(1_000_000)
    let sink = try Sink()
    let long = try peakMegabytes(draining: count, to: sink)
    let short = try peakMegabytes(draining: 10_000, to: sink)
    let ratio = long / short
    return [
        Figure(
            name: "P7 backlog \(Double(count).formatted)",
            ratio: ratio,
            target: "<=1.1, <=18 MB",
            isMet: ratio <= 1.1 && long <= 18,
            behind: "ours \(long.formatted) MB, draining 10,000 \(short.formatted) MB"
        )
    ]
}

private func peakMegabytes(draining count: Int, to sink: Sink) throws -> Double {
    let directory = try ScratchDirectory()
    try PipelineHarness(in: directory.path).saveTogether(count)
    return try Double(Tool().submit(directory, to: sink).peakBytes) / 1e6
}
