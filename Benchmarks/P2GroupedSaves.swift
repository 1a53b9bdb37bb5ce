import RecorderTestSupport

/// Saves that do not wait for each other: the benefit of group commit.
let p2GroupedSaves = Benchmark(name: "P2", about: "saves with 1,024 outstanding") { effort in
    let count = effort == .full ? 100_000 : 25_000
    let toPlain = try besidePlainSQLite(count, size: "1KB", bytes: 1_024, processorTime: 0.6)
    let small = try besidePlainSQLite(count, size: "200B", bytes: 200, processorTime: 1)
    return try [besideOriginal(count, effort)] + toPlain + small + [besideActor(count)]
}

/// Each round starts with an empty file and removes it. Otherwise each round would write to memory that the machine has
/// never used, and a virtual machine spends more time on that than on the rest of the system call.
private func ours(_ count: Int, bytes: Int) throws -> Meter.ItemCost {
    let directory = try ScratchDirectory()
    let harness = try PipelineHarness(in: directory.path)
    return Meter.cost(of: count) { harness.saveTogether(count, of: Payload.data(bytes)) }
}

/// Compares with plain SQLite, 500 rows a commit: the rate and the processor time.
private func besidePlainSQLite(_ count: Int, size: String, bytes: Int, processorTime: Double) throws -> [Figure] {
    let rounds = try Rounds(Pairs.usual, kinds: 2) { kind in
        if kind == 0 { return try ours(count, bytes: bytes) }
        let directory = try ScratchDirectory()
        let plain = PlainLog(path: directory.path("plain"), bytes: bytes)
        return Meter.cost(of: count) { plain.insert(count, perCommit: 500) }
    }
    let rates = Pairs(ours: rounds.values[0].map(\.rate), baseline: rounds.values[1].map(\.rate))
    let costs = Pairs(ours: rounds.values[0].map(\.nanoseconds), baseline: rounds.values[1].map(\.nanoseconds))
    return [
        Figure(
            "P2 \(size) commits of 500",
            rates.ratio,
            atLeast: 0.7,
            "ours \(rates.ours.median.perSecond), plain SQLite \(rates.baseline.median.perSecond)"
        ),
        Figure(
            "P2 \(size) processor time",
            costs.ratio,
            atMost: processorTime,
            "ours \(costs.ours.median.formatted) ns a save, plain SQLite \(costs.baseline.median.formatted) ns"
        ),
    ]
}

/// Compares with the SQL of the AWS SDK for iOS.
private func besideOriginal(_ count: Int, _ effort: Effort) throws -> Figure {
    let originalCount = effort == .full ? 1_000 : 200
    let pairs = try Pairs(
        ours: { try ours(count, bytes: Payload.bytes).rate },
        baseline: {
            let directory = try ScratchDirectory()
            let original = OriginalRecorder(path: directory.path("original"))
            return Meter.rate(of: originalCount) { original.save(originalCount) }
        }
    )
    return Figure(
        "P2 1KB",
        pairs.ratio,
        atLeast: 120,
        "ours \(pairs.ours.median.perSecond), original's SQL \(pairs.baseline.median.perSecond)"
    )
}

/// Compares with an actor that commits each record.
private func besideActor(_ count: Int) throws -> Figure {
    let pairs = try Pairs(
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
    return Figure(
        "P2 1KB beside an actor",
        pairs.ratio,
        atLeast: 8,
        "ours from 1,000 tasks \(pairs.ours.median.perSecond), an actor that commits each "
            + "\(pairs.baseline.median.perSecond)"
    )
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
