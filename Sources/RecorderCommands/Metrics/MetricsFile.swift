import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderConcurrency
import RecorderEngine

extension OptionSpec {
    static let metricsFile = OptionSpec(
        "metrics-file",
        value: "FILE",
        completion: .files,
        help: "write metrics to FILE in the text format of Prometheus, after each submit and every 15 seconds"
    )
}

/// The metrics of a run, in a file that is replaced in one step: a reader never finds half of it.
///
/// Made for the textfile collector of Prometheus's node exporter. That reads files whose names end in `.prom`, and runs as another
/// user, so the file is readable by all. It holds the names of streams and the paths of stores, nothing of a record.
final class MetricsFile: Sendable {
    /// As often as Prometheus's default configuration reads metrics.
    private static let interval = Duration.seconds(15)

    let run = RunMetrics()
    private let path: String
    private let console: Console
    private let state = Locked(State())
    private let writing = Locked(())

    private struct State {
        var stores: [(pipeline: RecordPipeline, path: String)] = []
        var task: Task<Void, Never>?
        var printedError: String?
    }

    /// The disk or its quota, which may be free again later: no mistake in the path.
    private static let temporaryErrors = [ENOSPC, EDQUOT, EIO, EMFILE, ENFILE]

    /// nil without --metrics-file. Throws if the path cannot be used.
    init?(_ session: Session) throws(CommandFailure) {
        guard let path = session.invocation.value(.metricsFile) else { return nil }
        (self.path, console) = (path, session.console)
        if let status = FileStatus(path: path), status.kind != .file {
            throw CommandFailure(
                .usage,
                message: "--metrics-file \(path): this is not a file. Give the path of a file."
            )
        }
        guard let error = replace(with: MetricFamily.text(of: [.build]) + "\n") else { return }
        guard Self.temporaryErrors.contains(error) else {
            throw CommandFailure(
                .usage,
                message: "--metrics-file \(path) cannot be written: \(Files.message(of: error))."
            )
        }
        report(error)
    }

    /// From now on the file has the counts of a store, too.
    func add(_ pipeline: RecordPipeline, at location: StoreLocation) {
        run.add(pipeline.service.name)
        state.withLock { $0.stores.append((pipeline, location.path)) }
    }

    /// Writes the file now and every 15 seconds, until `finish`.
    func start() {
        state.withLock { state in
            state.task = Task {
                while !Task.isCancelled {
                    write()
                    try? await Task.sleep(for: Self.interval)
                }
            }
        }
    }

    /// Writes the file for the last time.
    func finish() async {
        let task = state.withLock { $0.task }
        task?.cancel()
        await task?.value
        write()
    }

    /// Counts a submit that ended, and writes the file if it sent something or failed.
    func submitted(_ service: String, _ outcome: FlushOutcome, since start: ContinuousClock.Instant) {
        run.countSubmit(of: service, outcome, after: .now - start)
        if outcome.delivered > 0 || outcome.status != nil { write() }
    }

    /// Writes the file. An error is printed once for as long as it lasts, and does not end the command.
    func write() {
        // One after the other, so that the newest counts are the last ones written.
        writing.withLock { _ in writeNow() }
    }

    private func writeNow() {
        let stores = state.withLock { $0.stores }
        // A store that cannot be read has no values; its error is printed by the submit.
        let reports = stores.compactMap { store in
            (try? store.pipeline.status()).map { StatusReport($0, of: store.pipeline.service.name, at: store.path) }
        }
        let families = StatusReport.metrics(of: reports) + run.families
        report(replace(with: MetricFamily.text(of: families) + "\n"))
    }

    /// Prints an error that was not printed before; nil is none.
    private func report(_ number: Int32?) {
        let error = number.map { Files.message(of: $0) }
        let isNew = state.withLock { state in
            defer { state.printedError = error }
            return error != nil && error != state.printedError
        }
        if isNew, let error { console.error("--metrics-file \(path) cannot be written: \(error).") }
    }

    /// Returns the number of an error, or nil.
    private func replace(with text: String) -> Int32? {
        // The name does not end in .prom, and a link at this path is not followed.
        let draft = "\(path).\(getpid()).tmp"
        _ = unsafe unlink(draft)
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { return errno }
        fchmod(file, 0o644)
        var error = Output.write(text, to: file)
        if close(file) != 0 { error = error ?? errno }
        if error == nil, unsafe rename(draft, path) != 0 { error = errno }
        if error != nil { _ = unsafe unlink(draft) }
        return error
    }
}
