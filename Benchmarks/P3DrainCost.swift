/// The processor time per delivered record: reading, signing, sending over TLS and settling.
let p3DrainCost = Benchmark(name: "P3", about: "processor time of draining a backlog over TLS", needsQuiet: false) {
    effort in
    let sizes: [(name: String, bytes: Int, targets: [Drain.Sender: Double])] = [
        ("1KB", 1_024, [.engine: 0.14, .cbor: 0.11, .tool: 0.15]),
        // To start a process takes as long as to send some thousand records.
        ("200B", 200, [.engine: 0.085, .cbor: 0.075, .tool: 0.1]),
    ]
    return try sizes.flatMap { size in
        let rounds = effort == .full ? Pairs.usual : 1
        let comparison = try DrainComparison(effort.drained, bytes: size.bytes, rounds: rounds)
        return comparison.figures("P3 \(size.name)", of: \.microsecondsPerRecord) { name, sender, pairs in
            Figure(
                name,
                pairs.ratio,
                atMost: size.targets[sender, default: 0],
                "ours \(pairs.ours.median.formatted) us, boto3 \(pairs.baseline.median.formatted) us"
            )
        }
    }
}

extension Effort {
    /// The records of a drain.
    var drained: Int { self == .full ? 200_000 : 50_000 }
}
