/// The rate at which a backlog drains: one stream, one request at a time.
let p4DrainRate = Benchmark(name: "P4", about: "rate of draining a backlog over TLS") { effort in
    let count = effort == .full ? 200_000 : 50_000
    let sink = try Sink()
    return try [(name: "1KB", bytes: 1_024, target: 3.5), (name: "200B", bytes: 200, target: 7.0)].map { size in
        let pairs = try Pairs(
            effort == .full ? Pairs.usual : 3,
            ours: { try Drain.ofOurs(count, bytes: size.bytes, to: sink).rate },
            baseline: { try Drain.ofBoto3(count, bytes: size.bytes, to: sink).rate }
        )
        return Figure(
            "P4 \(size.name)",
            pairs.ratio,
            atLeast: size.target,
            "ours \(pairs.ours.median.perSecond), boto3 \(pairs.baseline.median.perSecond)"
        )
    }
}
