/// The rate at which a backlog drains: one stream, one request at a time.
let p4DrainRate = Benchmark(name: "P4", about: "rate of draining a backlog over TLS", quickDecides: false) { effort in
    let sizes = [(name: "1KB", bytes: 1_024, target: 3.5), (name: "200B", bytes: 200, target: 7.0)]
    return try sizes.flatMap { size in
        let rounds = effort == .full ? Pairs.usual : 3
        let comparison = try DrainComparison(effort.drained, bytes: size.bytes, rounds: rounds)
        return comparison.figures("P4 \(size.name)", of: \.rate) { name, _, pairs in
            Figure(
                name,
                pairs.ratio,
                atLeast: size.target,
                "ours \(pairs.ours.median.perSecond), boto3 \(pairs.baseline.median.perSecond)"
            )
        }
    }
}
