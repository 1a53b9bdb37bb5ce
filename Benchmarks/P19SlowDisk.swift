/// A disk that takes 20 ms a sync, as an SD card does: settles need few syncs, so it hardly bounds a drain.
let p19SlowDisk = Benchmark(name: "P19", about: "draining a store on a slow disk", quickDecides: false) { effort in
    let drain = try Drain()
    let pairs = try Pairs(
        effort == .full ? Pairs.usual : 3,
        ours: { try drain.ofOurs(effort.drained, bytes: 200, hasSlowDisk: true).rate },
        baseline: { try drain.ofOurs(effort.drained, bytes: 200).rate }
    )
    return [
        Figure(
            "P19 200B",
            pairs.ratio,
            atLeast: 0.2,
            "slow \(pairs.ours.median.perSecond), usual \(pairs.baseline.median.perSecond)"
        )
    ]
}
