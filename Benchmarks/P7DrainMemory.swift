/// The peak memory of `kinesis-recorder submit` with a long backlog.
let p7DrainMemory = Benchmark(name: "P7", about: "peak memory of draining a long backlog", needsQuiet: false) {
    effort in
    let count = effort.count(1_000_000)
    let drain = try Drain()
    let long = try drain.ofOurs(count, bytes: Payload.bytes)
    let short = try drain.ofOurs(10_000, bytes: Payload.bytes)
    let aggregated = try drain.ofOurs(effort.drained, bytes: 200, "--aggregate=force")
    return [
        Figure(
            "P7 backlog \(Double(count).formatted)",
            long.peakMegabytes / short.peakMegabytes,
            atMost: 1.1,
            "ours \(long.peakMegabytes.formatted) MB resident, draining 10,000 \(short.peakMegabytes.formatted) MB"
        ),
        Figure("P7 own memory", long.peakOwnMegabytes, "MB", atMost: 8, "anonymous"),
        Figure("P7 aggregated", aggregated.peakMegabytes, "MB", atMost: 30, "resident"),
    ]
}
