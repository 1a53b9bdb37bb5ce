import Foundation
import RecorderAWS
import RecorderEngine
import RecorderTestSupport

/// The cost of sending a backlog, from the first read to the last settled record.
struct Drain {
    let records: Int
    /// Wall-clock time.
    let seconds: Double
    /// Processor time of all threads.
    let processorSeconds: Double

    var rate: Double { Double(records) / seconds }
    var microsecondsPerRecord: Double { processorSeconds * 1e6 / Double(records) }

    /// The argument that makes this program send the records in a directory.
    static let argument = "--send"

    /// How a pipeline sends the records.
    struct Options: Codable {
        var requestsPerStream = 1
        var sendsCBOR = false
        /// The largest entry that records share; nil if none do.
        var sharedEntryBytes: Int?
        var hasRandomKeys = false
    }

    /// What sends the records.
    enum Sender: String, CaseIterable {
        /// The engine, in a new process of this program, from its second request on.
        case engine
        /// The same with `requestFormat = .cbor`.
        case cbor
        /// `kinesis-recorder submit`, from its start to its end.
        case tool
        /// The Python program that is the baseline, from its second request on.
        case boto3
    }

    /// Stores a backlog and has it sent.
    static func of(_ count: Int, bytes: Int, by sender: Sender, to sink: Sink) throws -> Drain {
        switch sender {
        case .engine: try ofOurs(count, bytes: bytes, to: sink)
        case .cbor: try ofOurs(count, bytes: bytes, to: sink, Options(sendsCBOR: true))
        case .tool: try ofTool(count, bytes: bytes, to: sink)
        case .boto3: try ofBoto3(count, bytes: bytes, to: sink)
        }
    }

    /// Stores a backlog, then sends it from a new process of this program.
    static func ofOurs(
        _ count: Int,
        bytes: Int,
        keys: [String] = [],
        to sink: Sink,
        _ options: Options = Options()
    ) throws -> Drain {
        let directory = try ScratchDirectory()
        try PipelineHarness(in: directory.path).saveTogether(count, of: Payload.data(bytes), keys: keys)
        let text = try Program.run(
            Program.executable,
            argument,
            directory.path,
            sink.url,
            String(decoding: try JSONEncoder().encode(options), as: UTF8.self),
            environment: sink.environment
        )
        return Drain(printed: text, count)
    }

    /// Stores a backlog and sends it with `kinesis-recorder submit`.
    private static func ofTool(_ count: Int, bytes: Int, to sink: Sink) throws -> Drain {
        let directory = try ScratchDirectory()
        try PipelineHarness(in: directory.path).saveTogether(count, of: Payload.data(bytes))
        let cost = try Tool().submit(directory, to: sink)
        let left = try PipelineHarness(in: directory.path).records()
        guard left == 0 else { fatalError("kinesis-recorder left \(left) of \(count) records.") }
        return Drain(records: count, seconds: cost.seconds, processorSeconds: cost.processorSeconds)
    }

    /// Stores a backlog and sends it with a Python program.
    private static func ofBoto3(_ count: Int, bytes: Int, to sink: Sink) throws -> Drain {
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

    /// Runs in the started program: a pipeline with all that the recorders do for a record.
    static func sendAndPrint(_ directory: String, to url: String, _ options: String) throws {
        let options = try JSONDecoder().decode(Options.self, from: Data(options.utf8))
        let harness = try PipelineHarness(in: directory, at: url, options)
        // The first request of a process loads libraries and does the TLS handshake, here as in the Python program.
        let scratch = try ScratchDirectory()
        let first = try PipelineHarness(in: scratch.path, at: url, options)
        first.saveTogether(1)
        _ = try waitFor { try await first.flush() }
        let (start, processorStart) = (ContinuousClock.now, Meter.processorTime())
        let report = try waitFor { try await harness.flush() }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        for failure in report.failures { print("\(failure.error.message)") }
        print(report.delivered, seconds, Double(Meter.processorTime() - processorStart) / 1e9)
    }

}

extension Drain {
    fileprivate init(printed text: String, _ count: Int) {
        let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard figures.count == 3, Int(figures[0]) == count else { fatalError("Not all \(count) were sent: \(text)") }
        self.init(records: count, seconds: figures[1], processorSeconds: figures[2])
    }
}
