import RecorderTestSupport

/// Saves that do not wait for each other: the benefit of group commit.
let p2GroupedSaves = Benchmark(name: "P2", about: "saves with 1,024 outstanding") { effort in
    let count = effort == .full ? 100_000 : 25_000
    let originalCount = effort == .full ? 1_000 : 200
    var costs: [Double] = []
    // Each round starts with an empty file and removes it. Otherwise each round would write to memory that the machine
    // has never used, and a virtual machine spends more time on that than on the rest of the system call.
    func ours() throws -> Double {
        let directory = try ScratchDirectory()
        let harness = try PipelineHarness(in: directory.path)
        let start = Meter.processorTime()
        defer { costs.append(Double(Meter.processorTime() - start) / Double(count)) }
        return Meter.rate(of: count) { harness.saveTogether(count) }
    }
    let toPlain = try Pairs(
        ours: ours,
        baseline: {
            let directory = try ScratchDirectory()
            let plain = PlainLog(path: directory.path("plain"))
            return Meter.rate(of: count) { plain.insert(count, perCommit: 500) }
        }
    )
    let toOriginal = try Pairs(
        ours: ours,
        baseline: {
            let directory = try ScratchDirectory()
            let original = OriginalRecorder(path: directory.path("original"))
            return Meter.rate(of: originalCount) { original.save(originalCount) }
        }
    )
    let toActor = try Pairs(
        ours: {
            let directory = try ScratchDirectory()
            let harness = try PipelineHarness(in: directory.path)
            return try rateOfTasks(count) { try await harness.save() }
        },
        baseline: {
            let directory = try ScratchDirectory()
            let actor = PlainActor(path: directory.path("actor"))
            return try rateOfTasks(count / 25) { await actor.save() }
        }
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
        Figure(
            "P2 1KB beside an actor",
            toActor.ratio,
            atLeast: 8,
            "ours from 1,000 tasks \(toActor.ours.median.perSecond), an actor that commits each "
                + "\(toActor.baseline.median.perSecond)"
        ),
    ]
}

/// Saves per second with one task per save, 1,000 tasks at a time.
private func rateOfTasks(_ count: Int, _ save: @escaping @Sendable () async throws -> Void) throws -> Double {
    try Meter.rate(of: count) {
        try waitFor {
            for _ in 0..<count / 1_000 {
                try await withThrowingDiscardingTaskGroup { group in
                    for _ in 0..<1_000 { group.addTask(operation: save) }
                }
            }
        }
    }
}
