import RecorderTestSupport

/// One save after the other, each awaited: bound by the disk's sync, so the recorder's own overhead shows.
let p1AwaitedSaves = Benchmark(name: "P1", about: "saves awaited one by one") { effort in
    let count = effort == .full ? 3_000 : 500
    let directory = try ScratchDirectory()
    let harness = try PipelineHarness(in: directory.path)
    let plain = PlainLog(path: directory.path("plain"))
    let amplify = AmplifyStorage(path: directory.path("amplify"))
    func ours() throws -> Double {
        try Meter.rate(of: count) { try waitFor { try await harness.saveOneByOne(count) } }
    }
    let toPlain = try Pairs(
        ours: ours,
        baseline: { Meter.rate(of: count) { plain.insertOneByOne(count) } }
    )
    let toAmplify = try Pairs(
        ours: ours,
        baseline: {
            // A fifth of the records, because each takes several times as long.
            try Meter.rate(of: count / 5) { try waitFor { for _ in 0..<count / 5 { await amplify.save() } } }
        }
    )
    return [
        Figure(
            "P1 1KB",
            toPlain.ratio,
            atLeast: 0.8,
            "ours \(toPlain.ours.median.perSecond), plain SQLite \(toPlain.baseline.median.perSecond)"
        ),
        Figure(
            "P1 1KB beside Amplify's storage",
            toAmplify.ratio,
            atLeast: 2,
            "ours \(toAmplify.ours.median.perSecond), Amplify's SQL \(toAmplify.baseline.median.perSecond)"
        ),
    ]
}
