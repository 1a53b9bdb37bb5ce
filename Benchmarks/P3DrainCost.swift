/// The processor time per delivered record: reading, signing, sending over TLS and settling.
let p3DrainCost = Benchmark(name: "P3", about: "processor time of draining a backlog over TLS", needsQuiet: false) {
    effort in
    let count = effort == .full ? 200_000 : 50_000
    let sink = try Sink()
    return try [(name: "1KB", bytes: 1_024, target: 0.22), (name: "200B", bytes: 200, target: 0.13)].map { size in
        let pairs = try Pairs(
            effort == .full ? Pairs.usual : 1,
            ours: { try Drain.ofOurs(count, bytes: size.bytes, to: sink).microsecondsPerRecord },
            baseline: { try Drain.ofBoto3(count, bytes: size.bytes, to: sink).microsecondsPerRecord }
        )
        return Figure(
            "P3 \(size.name)",
            pairs.ratio,
            atMost: size.target,
            "ours \(pairs.ours.median.formatted) us, boto3 \(pairs.baseline.median.formatted) us"
        )
    }
}
