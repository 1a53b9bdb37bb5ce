/// The processor time per delivered record of 200 bytes if requests are CBOR, or records aggregated.
///
/// The baseline is the same drain in JSON with an entry for each record: no form should be dearer than that.
let p15OtherForms = Benchmark(
    name: "P15",
    about: "processor time of a drain in other forms",
    needsQuiet: false,
    quickDecides: false
) { effort in
    let drain = try Drain()
    return try ["--cbor", "--aggregate=force"].map { option in
        let pairs = try Pairs(
            effort == .full ? Pairs.usual : 3,
            ours: { try drain.ofOurs(effort.drained, bytes: 200, option).microsecondsPerRecord },
            baseline: { try drain.ofOurs(effort.drained, bytes: 200).microsecondsPerRecord }
        )
        return Figure(
            "P15 200B \(option)",
            pairs.ratio,
            atMost: 1,
            "ours \(pairs.ours.median.formatted) us, without the option \(pairs.baseline.median.formatted) us"
        )
    }
}
