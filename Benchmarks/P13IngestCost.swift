import RecorderTestSupport

/// The processor time per line of `kinesis-recorder save --file`, which returns after every line is on the disk.
///
/// The baseline is the drain of as many records of the same size, which has the same share of fast and slow machines.
let p13IngestCost = Benchmark(name: "P13", about: "processor time of storing a file line by line", needsQuiet: false) {
    effort in
    let sizes = [(name: "1KB", bytes: 1_024, target: 1.1), (name: "200B", bytes: 200, target: 0.65)]
    let drain = try Drain()
    return try sizes.map { size in
        let lines = try LineFile(effort.drained, bytes: size.bytes)
        let pairs = try Pairs(
            effort == .full ? Pairs.usual : 3,
            ours: { try lines.store().cost.microsecondsPerRecord },
            baseline: { try drain.ofOurs(lines.count, bytes: size.bytes).microsecondsPerRecord }
        )
        return Figure(
            "P13 \(size.name)",
            pairs.ratio,
            atMost: size.target,
            "ours \(pairs.ours.median.formatted) us a line, the drain of a record \(pairs.baseline.median.formatted) us"
        )
    }
}
