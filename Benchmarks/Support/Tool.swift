import Foundation
import RecorderEngine
import RecorderTestSupport

/// `kinesis-recorder`, measured as a process, from its start to its end.
struct Tool {
    struct Cost {
        /// Wall-clock time.
        let seconds: Double
        /// Processor time of all threads.
        let processorSeconds: Double
        /// The peak of resident memory.
        let peakBytes: Int
    }

    /// The program: the one that RECORDER_BENCHMARK_TOOL names, or the one built beside this program.
    static var path: String {
        let beside = URL(fileURLWithPath: Program.executable).deletingLastPathComponent().path + "/kinesis-recorder"
        let path = ProcessInfo.processInfo.environment["RECORDER_BENCHMARK_TOOL"] ?? beside
        guard FileManager.default.isExecutableFile(atPath: path) else {
            print(
                "There is no kinesis-recorder at \(path): build it with `swift build -c release`, or run `make bench`."
            )
            exit(2)
        }
        return path
    }

    private let directory: ScratchDirectory
    private let launcher: String

    init() throws {
        directory = try ScratchDirectory()
        launcher = try Program.compile("measure.c", in: directory)
    }

    /// Saves each line of a file as a record, each of them durably.
    func save(_ file: String, in store: ScratchDirectory) throws -> Cost {
        try run(["save", Payload.stream, "--file", file, "--limit", "0", "--quiet", "--directory", store.path])
    }

    /// Starts saving the lines of a pipe, until it is closed.
    func startSaving(in store: ScratchDirectory, from input: Pipe) throws -> Process {
        let arguments = [Self.path, "save", Payload.stream, "--quiet", "--directory", store.path]
        return try Program.start(arguments, input: input)
    }

    /// Starts following files, each into a stream of its own, while the service cannot be reached. Returns when lines that are
    /// written from then on are read.
    func startFollowing(_ paths: [String], in store: ScratchDirectory) throws -> Process {
        let flows = paths.enumerated().map { #"{"filePattern":"\#($1)*","kinesisStream":"\#(Payload.stream)-\#($0)"}"# }
        let endpoint = "http://127.0.0.1:1"
        let configuration = #"{"kinesis.endpoint":"\#(endpoint)","flows":[\#(flows.joined(separator: ","))]}"#
        let file = directory.path("agent.json")
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: file))
        let process = try Program.start(
            [Self.path, "agent", "--configuration", file, "--limit", "0", "--directory", store.path],
            [
                "no_proxy": "127.0.0.1", "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
                "AWS_SECRET_ACCESS_KEY": "secret",
            ],
            errors: FileHandle.nullDevice
        )
        let harness = try PipelineHarness(in: store.path)
        while try harness.pipeline.filePositions().positions.count < paths.count { usleep(10_000) }
        return process
    }

    /// Sends all that a store holds.
    func submit(_ store: ScratchDirectory, to sink: Sink, options: [String] = []) throws -> Cost {
        let arguments = ["submit", "--kinesis", "--quiet", "--directory", store.path, "--endpoint-url", sink.url]
        return try run(arguments + options, environment: sink.environment)
    }

    private func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Cost {
        let text = try Program.run([launcher, Self.path] + arguments, environment: environment)
        let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard figures.count == 3 else { fatalError("The launcher printed no figures: \(text)") }
        return Cost(seconds: figures[0], processorSeconds: figures[1], peakBytes: Int(figures[2]) * 1_024)
    }
}
