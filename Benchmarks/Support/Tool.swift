import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport

/// `kinesis-recorder`, measured as a process, from its start to its end.
struct Tool {
    /// The program of the packages: the one that RECORDER_BENCHMARK_TOOL names, or the one that `make package` built.
    static var path: String {
        let packaged = "\(Program.package)/.build/package/release/kinesis-recorder"
        let path = ProcessInfo.processInfo.environment["RECORDER_BENCHMARK_TOOL"] ?? packaged
        guard FileManager.default.isExecutableFile(atPath: path) else {
            print("There is no kinesis-recorder at \(path): run `make package`, or `make bench`, which does.")
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

    /// Saves each of the `count` lines of a file as a record, each of them durably.
    func save(_ count: Int, of file: String, in store: ScratchDirectory) throws -> Cost {
        let arguments = ["save", Payload.stream, "--file", file, "--limit", "0", "--quiet", "--directory", store.path]
        return try measure([Self.path] + arguments, of: count)
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

    /// Sends the `count` records that a store holds.
    func submit(
        _ count: Int,
        of store: ScratchDirectory,
        to sink: Sink,
        options: [String],
        preloading library: String? = nil
    ) throws -> Cost {
        let arguments = ["submit", "--kinesis", "--quiet", "--directory", store.path, "--endpoint-url", sink.url]
        let preloading = library.map { ["/usr/bin/env", "LD_PRELOAD=\($0)"] } ?? []
        return try measure(preloading + [Self.path] + arguments + options, of: count, environment: sink.environment)
    }

    /// Runs any program that does something for `count` records.
    func measure(_ command: [String], of count: Int, environment: [String: String] = [:]) throws -> Cost {
        Cost(of: count, printed: try Program.run([launcher] + command, environment: environment))
    }
}
