/// The processor time per delivered record of `kinesis-recorder submit`: reading, signing, sending over TLS and settling.
let p3DrainCost = Benchmark(
    name: "P3",
    about: "processor time of draining a backlog over TLS",
    needsQuiet: false,
    quickDecides: false
) { effort in
    let drain = try Drain()
    let sizes = [(name: "1KB", bytes: 1_024, target: 1.35), (name: "200B", bytes: 200, target: 1.7)]
    return try sizes.map { size in
        let pairs = try Pairs(
            effort == .full ? Pairs.usual : 1,
            ours: { try drain.ofOurs(effort.drained, bytes: size.bytes).microsecondsPerRecord },
            baseline: { try drain.ofFloor(effort.drained, bytes: size.bytes).microsecondsPerRecord }
        )
        return Figure(
            "P3 \(size.name)",
            pairs.ratio,
            atMost: size.target,
            "ours \(pairs.ours.median.formatted) us, a C program without a store \(pairs.baseline.median.formatted) us"
        )
    }
}

extension Effort {
    /// The records of a drain.
    var drained: Int { self == .full ? 200_000 : 50_000 }
}
