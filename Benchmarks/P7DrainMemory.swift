import Foundation
import RecorderEngine
import RecorderHTTP
import RecorderTestSupport

/// The peak memory of a drain, in a process that does nothing else.
let p7DrainMemory = Benchmark(name: "P7", about: "peak memory of draining a long backlog", needsQuiet: false) {
    effort in
    let count = effort.count(1_000_000)
    let long = try peakMegabytes(draining: count)
    let short = try peakMegabytes(draining: 10_000)
    let ratio = long.peak / short.peak
    return [
        Figure(
            name: "P7 backlog \(Double(count).formatted)",
            ratio: ratio,
            target: "<=1.1, <=40 MB",
            isMet: ratio <= 1.1 && long.peak <= 40,
            behind: "ours \(long.peak.formatted) MB, draining 10,000 \(short.peak.formatted) MB, "
                + "before the drain \(long.start.formatted) MB"
        )
    ]
}

/// The argument that makes this program drain a directory and print its memory.
let drainArgument = "--drain"

private func peakMegabytes(draining count: Int) throws -> (start: Double, peak: Double) {
    let directory = try ScratchDirectory()
    try PipelineHarness(in: directory.path).saveTogether(count)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [drainArgument, directory.path, "\(count)"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard process.terminationStatus == 0, figures.count == 2 else { fatalError("The drain failed: \(text)") }
    return (figures[0], figures[1])
}

/// Runs in the started program: sends every record to a service that accepts all, then prints the memory at the start
/// and its peak, in megabytes.
func drainAndPrintMemory(_ path: String, _ count: Int) throws {
    let full = HTTPResponse.accepted(500)
    let transport = ScriptedTransport { request in
        let records = request.records
        return records == 500 ? full : .accepted(records)
    }
    let harness = try PipelineHarness(in: path, to: transport)
    let records = try harness.pipeline.totals().records
    precondition(records == count, "The store holds \(records) of \(count) records.")
    let start = Meter.peakResidentBytes()
    let report = try waitFor { try await harness.flush() }
    precondition(report.delivered == count, "\(report.delivered) of \(count) records were delivered.")
    print(Double(start) / 1e6, Double(Meter.peakResidentBytes()) / 1e6)
}
