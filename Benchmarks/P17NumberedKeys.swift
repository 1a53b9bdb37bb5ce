import Foundation
import RecorderTestSupport

/// What keys that number the records cost, beside random UUIDs as keys of the caller's, which are stored.
///
/// The random keys are drawn before the measurement, so their own cost is not in the baseline. A drain makes the numbered keys
/// from numbers instead of reading them, which takes as long: the medians differ by 2 % either way.
let p17NumberedKeys = Benchmark(name: "P17", about: "keys that number records", needsQuiet: false) { effort in
    let drain = try Drain()
    let keys = (0..<10_000).map { _ in UUID().uuidString }
    let sizes = [(name: "1KB", bytes: 1_024), (name: "200B", bytes: 200)]
    return try sizes.flatMap { size in
        let count = effort == .full ? 100_000 : 25_000
        let saves = try Pairs(
            ours: { try costOfSaves(count, bytes: size.bytes) },
            baseline: { try costOfSaves(count, bytes: size.bytes, keys: keys) }
        )
        let drains = try Pairs(
            effort == .full ? Pairs.usual : 3,
            ours: { try drain.ofOurs(effort.drained, bytes: size.bytes).microsecondsPerRecord },
            baseline: {
                try drain.ofOurs(effort.drained, bytes: size.bytes, keys: keys).microsecondsPerRecord
            }
        )
        let stored = try bytesOnDisk(count, bytes: size.bytes)
        let storedWithKeys = try bytesOnDisk(count, bytes: size.bytes, keys: keys)
        return [
            Figure(
                "P17 \(size.name) saves",
                saves.ratio,
                atMost: 1,
                "numbered \(saves.ours.median.formatted) ns, given \(saves.baseline.median.formatted) ns"
            ),
            Figure(
                "P17 \(size.name) drain",
                drains.ratio,
                atMost: 1.05,
                "numbered \(drains.ours.median.formatted) us, given \(drains.baseline.median.formatted) us"
            ),
            Figure(
                "P17 \(size.name) on disk",
                stored / storedWithKeys,
                atMost: (storedWithKeys - 30) / storedWithKeys,
                "numbered \(stored.formatted) bytes a record, given \(storedWithKeys.formatted) bytes"
            ),
        ]
    }
}

/// Nanoseconds of processor time a save.
private func costOfSaves(_ count: Int, bytes: Int, keys: [String] = []) throws -> Double {
    let directory = try ScratchDirectory()
    let harness = try PipelineHarness(in: directory.path)
    return Meter.cost(of: count) { harness.saveTogether(count, of: Payload.data(bytes), keys: keys) }.nanoseconds
}

/// The bytes of the store's files for each record, once the store is closed, which empties the log.
private func bytesOnDisk(_ count: Int, bytes: Int, keys: [String] = []) throws -> Double {
    let directory = try ScratchDirectory()
    try PipelineHarness(in: directory.path).saveTogether(count, of: Payload.data(bytes), keys: keys)
    return try Double(directory.bytes()) / Double(count)
}
