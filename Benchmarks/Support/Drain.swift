import Foundation
import RecorderAWS
import RecorderEngine
import RecorderTestSupport

/// What it took to send a backlog, from the first read to the last record settled.
struct Drain {
    let records: Int
    /// On the wall.
    let seconds: Double
    /// Of all threads together.
    let processorSeconds: Double

    var rate: Double { Double(records) / seconds }
    var microsecondsPerRecord: Double { processorSeconds * 1e6 / Double(records) }

    /// How this program is started to send what a directory holds.
    static let argument = "--send"

    /// Stores a backlog, then lets this program, started anew, send it.
    static func ofOurs(_ count: Int, bytes: Int, to sink: Sink, requestsPerStream: Int = 1) throws -> Drain {
        let directory = try ScratchDirectory()
        try PipelineHarness(in: directory.path).saveTogether(count, of: Payload.data(bytes))
        let text = try Program.run(
            Program.ourselves,
            argument,
            directory.path,
            sink.url,
            "\(requestsPerStream)",
            environment: ["AWS_CA_BUNDLE": sink.certificate, "no_proxy": "127.0.0.1"]
        )
        return Drain(printed: text, count)
    }

    /// Lets a Python program store a backlog and send it.
    static func ofBoto3(_ count: Int, bytes: Int, to sink: Sink) throws -> Drain {
        let directory = try ScratchDirectory()
        let text = try Program.run(
            Program.python,
            "\(Program.package)/Benchmarks/Peers/boto3_drain.py",
            directory.path("peer.db"),
            sink.url,
            sink.certificate,
            "\(count)",
            "\(bytes)"
        )
        return Drain(printed: text, count)
    }

    /// What the started program does: the recorders' own harness, with all that they do for a record.
    static func sendAndPrint(_ directory: String, to url: String, requestsPerStream: Int) throws {
        let harness = try PipelineHarness(in: directory, at: url, requestsPerStream: requestsPerStream)
        // The first request of a process loads libraries and shakes hands, here as in the Python program.
        let scratch = try ScratchDirectory()
        let first = try PipelineHarness(in: scratch.path, at: url, requestsPerStream: 1)
        first.saveTogether(1)
        _ = try waitFor { try await first.flush() }
        let (start, processorStart) = (ContinuousClock.now, Meter.processorTime())
        let report = try waitFor { try await harness.flush() }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        for failure in report.failures { print("\(failure.error.message)") }
        print(report.delivered, seconds, Double(Meter.processorTime() - processorStart) / 1e9)
    }

    private init(printed text: String, _ count: Int) {
        let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard figures.count == 3, Int(figures[0]) == count else { fatalError("Not all \(count) were sent: \(text)") }
        records = count
        seconds = figures[1]
        processorSeconds = figures[2]
    }
}
