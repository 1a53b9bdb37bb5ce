/// Saves that do not wait for each other: what group commit is worth.
let p2GroupedSaves = Benchmark(name: "P2", about: "saves with 1,024 outstanding") { effort in
    let count = effort == .full ? 100_000 : 25_000
    let originalCount = effort == .full ? 1_000 : 200
    let directory = try ScratchDirectory()
    let road = Road(in: directory.path)
    let plain = PlainLog(path: directory.path("plain"))
    let original = OriginalRecorder(path: directory.path("original"))
    var costs: [Double] = []
    func ours() -> Double {
        let start = Meter.processorTime()
        defer { costs.append(Double(Meter.processorTime() - start) / Double(count)) }
        return Meter.rate(of: count) { road.saveTogether(count) }
    }
    let toPlain = Pairs(
        ours: ours,
        baseline: { Meter.rate(of: count) { plain.insert(count, perCommit: 500) } }
    )
    let toOriginal = Pairs(
        ours: ours,
        baseline: { Meter.rate(of: originalCount) { original.save(originalCount) } }
    )
    return [
        Figure(
            "P2 1KB",
            toOriginal.ratio,
            atLeast: 120,
            "ours \(toOriginal.ours.median.perSecond), original's SQL \(toOriginal.baseline.median.perSecond)"
        ),
        Figure(
            "P2 1KB commits of 500",
            toPlain.ratio,
            atLeast: 0.7,
            "ours \(toPlain.ours.median.perSecond) at \(Int(costs.median)) ns CPU, "
                + "plain SQLite \(toPlain.baseline.median.perSecond)"
        ),
    ]
}
