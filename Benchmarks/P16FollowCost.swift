import Foundation
import RecorderTestSupport

/// The processor time per line, and the memory, of `kinesis-recorder agent` with sixteen flows whose files grow and are rotated,
/// every line durable, while the service cannot be reached; and its processor time while nothing is written.
///
/// The baseline is the drain of as many records of the same size, as for P13.
let p16FollowCost = Benchmark(name: "P16", about: "processor time and memory of following files", needsQuiet: false) {
    effort in
    let seconds = ProcessInfo.processInfo.environment["RECORDER_BENCHMARK_SECONDS"].flatMap(Int.init)
    let logs = try GrowingLogs(seconds: seconds ?? (effort == .full ? 60 : 5))
    let cost = try logs.follow()
    let submit = try Drain()
    let drain = try (0..<3).map { _ in
        try submit.ofOurs(effort.drained, bytes: GrowingLogs.lineBytes).microsecondsPerRecord
    }.median
    let perLine = cost.processorSeconds * 1e6 / Double(logs.lines)
    return [
        Figure(
            "P16 200B",
            perLine / drain,
            atMost: 0.65,
            "\(perLine.formatted) us a line, the drain of a record \(drain.formatted) us"
        ),
        Figure("P16 memory", Double(cost.peakBytes) / 1e6, "MB", atMost: 30, "resident"),
        Figure("P16 idle", cost.idleShare * 100, "%", atMost: 0.1, "of a processor"),
    ]
}

/// Files to which lines are written at a steady rate.
private struct GrowingLogs {
    struct Cost {
        let processorSeconds: Double
        let peakBytes: Int
        let idleShare: Double
    }

    static let lineBytes = 200
    private static let files = 16
    /// How often a second lines are written, how many to each file, and after how many seconds files are rotated.
    private static let (ticks, linesPerTick, rotation) = (125, 5, 10)

    let seconds: Int
    private let directory: ScratchDirectory
    /// 10,000 a second.
    var lines: Int { seconds * Self.ticks * Self.linesPerTick * Self.files }

    init(seconds: Int) throws {
        self.seconds = seconds
        directory = try ScratchDirectory()
    }

    /// Follows the files while lines are written, and for some seconds after that.
    func follow() throws -> Cost {
        let store = try ScratchDirectory()
        let paths = (0..<Self.files).map { directory.path("flow\($0).log") }
        let tool = try Tool().startFollowing(paths, in: store)
        defer {
            tool.terminate()
            tool.waitUntilExit()
        }
        try write(to: paths)
        let harness = try PipelineHarness(in: store.path)
        while try harness.records() < lines { usleep(50_000) }
        let busy = Meter.processorSeconds(of: tool.processIdentifier)
        sleep(2)
        // In the full run as long as the longest pause between two attempts to send.
        let pause = seconds < 60 ? 10 : 60
        let before = Meter.processorSeconds(of: tool.processIdentifier)
        sleep(UInt32(pause))
        let idle = (Meter.processorSeconds(of: tool.processIdentifier) - before) / Double(pause)
        return Cost(
            processorSeconds: busy,
            peakBytes: Meter.peakResidentBytes(of: tool.processIdentifier),
            idleShare: idle
        )
    }

    private func write(to paths: [String]) throws {
        let text = (0..<Self.linesPerTick).reduce(into: Data()) { text, _ in
            text += Payload.data(Self.lineBytes) + [UInt8(ascii: "\n")]
        }
        var files: [FileHandle] = []
        let start = ContinuousClock.now
        for tick in 0..<seconds * Self.ticks {
            if tick.isMultiple(of: Self.rotation * Self.ticks) {
                files = try paths.map { try Self.rotate($0, number: tick / Self.ticks) }
            }
            for file in files { try file.write(contentsOf: text) }
            let rest = start + .seconds(1) * Double(tick + 1) / Double(Self.ticks) - .now
            if rest > .zero { usleep(UInt32(rest / .microseconds(1))) }
        }
    }

    private static func rotate(_ path: String, number: Int) throws -> FileHandle {
        if number > 0 { try FileManager.default.moveItem(atPath: path, toPath: "\(path).\(number)") }
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }
}
