/// The processor time per delivered record of 200 bytes if records are aggregated, over TLS.
///
/// The baseline is the same drain with an entry for each record.
let p15AggregatedDrain = Benchmark(name: "P15", about: "processor time of an aggregated drain", needsQuiet: false) {
    effort in
    let sink = try Sink()
    let keys = [(name: "keys of records", isRandom: false), (name: "keys of entries", isRandom: true)]
    return try keys.map { keys in
        var options = Drain.Options(hasRandomKeys: keys.isRandom)
        options.sharedEntryBytes = 51_200
        let pairs = try Pairs(
            effort == .full ? Pairs.usual : 3,
            ours: { try Drain.ofOurs(effort.drained, bytes: 200, to: sink, options).microsecondsPerRecord },
            baseline: { try Drain.ofOurs(effort.drained, bytes: 200, to: sink).microsecondsPerRecord }
        )
        return Figure(
            "P15 200B \(keys.name)",
            pairs.ratio,
            atMost: 0.6,
            "aggregated \(pairs.ours.median.formatted) us, one by one \(pairs.baseline.median.formatted) us"
        )
    }
}
