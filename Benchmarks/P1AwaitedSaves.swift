/// One save after the other, each awaited: bound by the disk's flush, so what we add to it shows.
let p1AwaitedSaves = Benchmark(name: "P1", about: "saves awaited one by one") { effort in
    let count = effort == .full ? 3_000 : 500
    let directory = try ScratchDirectory()
    let road = Road(in: directory.path)
    let plain = PlainLog(path: directory.path("plain"))
    let pairs = try Pairs(
        ours: {
            try Meter.rate(of: count) { try waitFor { try await road.saveOneByOne(count) } }
        },
        baseline: {
            Meter.rate(of: count) { plain.insertOneByOne(count) }
        }
    )
    return [
        Figure(
            "P1 1KB",
            pairs.ratio,
            atLeast: 0.8,
            "ours \(pairs.ours.median.perSecond), plain SQLite \(pairs.baseline.median.perSecond)"
        )
    ]
}
