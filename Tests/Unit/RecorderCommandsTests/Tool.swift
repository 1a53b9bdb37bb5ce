import Foundation
import RecorderTestSupport
import Testing

/// Runs the built `kinesis-recorder` as a process.
struct Tool: Sendable {
    /// The exit status and the output of a run.
    struct Ran: Sendable {
        let status: Int32
        let out: String
        let err: String
        /// When it printed its last line. Unlike the time at which the test sees its end, a busy machine does not delay it.
        let lastPrinted: Date
    }

    let home: TemporaryDirectory
    var environment: [String: String]

    /// The executable beside the test bundle.
    static let path = "\(BuiltProgram.directory)/kinesis-recorder"

    /// A tool with a home directory of its own; `url` is the service, if there is one.
    init(to url: String? = nil, keys: MotoServer.Keys? = nil) throws {
        home = try TemporaryDirectory()
        environment = ["HOME": home.path, "PATH": "/usr/bin:/bin", "no_proxy": "127.0.0.1"]
        environment["AWS_EC2_METADATA_DISABLED"] = "true"
        // In a sanitizer's run the tool is built with it too, and reports where the run is told to look.
        for name in ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"] {
            environment[name] = ProcessInfo.processInfo.environment[name]
        }
        guard let url else { return }
        environment["AWS_REGION"] = "us-east-1"
        environment["AWS_ENDPOINT_URL"] = url
        environment["AWS_ACCESS_KEY_ID"] = keys?.accessKeyId ?? Canary.accessKey
        environment["AWS_SECRET_ACCESS_KEY"] = keys?.secretAccessKey ?? Canary.secret
    }

    /// Runs it to the end with `input` on standard input.
    func run(_ arguments: String..., input: Data = Data()) async throws -> Ran {
        let running = try start(arguments)
        running.write(input)
        return await running.end()
    }

    /// Starts it; `prefix` is a program to run it with, and its arguments.
    func start(under prefix: [String] = [], _ arguments: [String]) throws -> RunningTool {
        try RunningTool(prefix + [Self.path] + arguments, environment: environment, home: home)
    }

    /// Writes a file in the home directory.
    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: home.path(name)))
    }

    /// Runs a Python program to its end.
    func python(_ program: String) async throws {
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = ["python3", "-c", program]
        await (try ProcessEnd(starting: python)).finished()
        #expect(python.terminationStatus == 0)
    }
}

/// A tool that is running; its standard input is open until `end`.
final class RunningTool: @unchecked Sendable {
    // Safe because the test uses it from one task, and `Process` synchronizes its own state.
    private let process = Process()
    private let input = Pipe()
    /// Must outlive the run.
    private let home: TemporaryDirectory
    private let out: String
    private let err: String
    private let ended: ProcessEnd

    init(_ words: [String], environment: [String: String], home: TemporaryDirectory) throws {
        self.home = home
        let name = UUID().uuidString
        (out, err) = (home.path("\(name).out"), home.path("\(name).err"))
        for path in [out, err] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        // Tests that run in the background or by nohup ignore signals, and child processes inherit that.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--default-signal=INT,TERM,HUP"] + words
        process.environment = environment
        process.standardInput = input
        let files = [out, err].map { FileHandle(forWritingAtPath: $0) }
        (process.standardOutput, process.standardError) = (files[0], files[1])
        // Another child of this process must not hold the pipe open.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        ended = try ProcessEnd(starting: process)
        // `Process` is never released, and would keep them open. With more than 1,300 open files, `run()` reads beyond a buffer.
        for file in files { try? file?.close() }
    }

    /// Writes all of it, even if the reader has ended.
    func write(_ data: Data) {
        _ = signal(SIGPIPE, SIG_IGN)
        try? input.fileHandleForWriting.write(contentsOf: data)
    }

    /// What it has printed to standard error so far.
    var printedErrors: String { (try? String(contentsOfFile: err, encoding: .utf8)) ?? "" }

    var id: pid_t { process.processIdentifier }

    /// The paths of the files that it has open.
    var openFiles: [String] {
        let directory = "/proc/\(process.processIdentifier)/fd"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return files.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)") }
    }

    /// The most memory that it has had so far, in bytes.
    func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1_024 } ?? 0
    }

    func signal(_ number: Int32) -> Int32 { StopSignals.send(number, to: process.processIdentifier) }

    private func signal(_ number: Int32, _ handler: __sighandler_t) -> __sighandler_t? {
        Glibc.signal(number, handler)
    }

    /// Closes standard input, unless the tool must end without that, and waits for the end.
    func end(closesInput: Bool = true) async -> Tool.Ran {
        if closesInput { try? input.fileHandleForWriting.close() }
        await ended.finished()
        let isSignal = process.terminationReason == .uncaughtSignal
        return Tool.Ran(
            status: isSignal ? -process.terminationStatus : process.terminationStatus,
            out: (try? String(contentsOfFile: out, encoding: .utf8)) ?? "",
            err: (try? String(contentsOfFile: err, encoding: .utf8)) ?? "",
            lastPrinted: (try? FileManager.default.attributesOfItem(atPath: out)[.modificationDate] as? Date)
                ?? .distantFuture
        )
    }
}
