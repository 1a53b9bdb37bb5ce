import RecorderTestSupport

/// Bytes that an awaited save writes to the disk, including counters and checkpoints: flash memory wears out.
let p11BytesWritten = Benchmark(name: "P11", about: "bytes written per awaited save", needsQuiet: false) { effort in
    // Enough for several checkpoints on both sides.
    let count = effort == .full ? 10_000 : 2_000
    let directory = try ScratchDirectory()
    let harness = try PipelineHarness(in: directory.path)
    let plain = PlainLog(path: directory.path("plain"))
    try waitFor { try await harness.save() }
    plain.insertOneByOne(1)
    let ours = try Meter.bytesWritten(per: count) { try waitFor { try await harness.saveOneByOne(count) } }
    let baseline = Meter.bytesWritten(per: count) { plain.insertOneByOne(count) }
    return [
        Figure(
            "P11 1KB",
            ours / baseline,
            atMost: 2,
            "ours \(ours.formatted) bytes a save, plain SQLite \(baseline.formatted)"
        )
    ]
}
