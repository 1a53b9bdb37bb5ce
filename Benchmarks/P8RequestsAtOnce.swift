/// A service that takes 20 ms to answer: the benefit of several requests of one stream in flight.
let p8RequestsAtOnce = Benchmark(
    name: "P8",
    about: "draining to a slow service, 8 requests at once",
    quickDecides: false
) { effort in
    let count = effort == .full ? 100_000 : 25_000
    let drain = try Drain(latency: 20)
    let pairs = try Pairs(
        effort == .full ? Pairs.usual : 3,
        ours: { try drain.ofOurs(count, bytes: Payload.bytes, "--requests", "8").rate },
        baseline: { try drain.ofOurs(count, bytes: Payload.bytes).rate }
    )
    return [
        Figure(
            "P8 1KB",
            pairs.ratio,
            atLeast: 5,
            "8 at once \(pairs.ours.median.perSecond), 1 at a time \(pairs.baseline.median.perSecond)"
        )
    ]
}
