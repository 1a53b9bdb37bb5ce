/// The rate at which a backlog drains: one stream, one request at a time.
let p4DrainRate = Benchmark(name: "P4", about: "rate of draining a backlog over TLS", quickDecides: false) { effort in
    let drain = try Drain()
    let sizes = [(name: "1KB", bytes: 1_024, target: 3.5), (name: "200B", bytes: 200, target: 7.0)]
    return try sizes.map { size in
        let pairs = try Pairs(
            effort == .full ? Pairs.usual : 3,
            ours: { try drain.ofOurs(effort.drained, bytes: size.bytes).rate },
            baseline: { try drain.rateOfBoto3(effort.drained, bytes: size.bytes) }
        )
        return Figure(
            "P4 \(size.name)",
            pairs.ratio,
            atLeast: size.target,
            "ours \(pairs.ours.median.perSecond), boto3 \(pairs.baseline.median.perSecond)"
        )
    }
}
