import FoundationEssentials
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
    private let file: OwnFile
    private let console: Console
    private let state = Locked(State())
    private let writing = Locked(())

    private struct State {
        var stores: [(pipeline: RecordPipeline, path: String)] = []
        var task: Task<Void, Never>?
        var printedProblem: OwnFile.Problem?
    }

    /// nil without --metrics-file. Throws if the path cannot be used.
    init?(_ session: Session) throws(CommandFailure) {
        guard let path = session.invocation.value(.metricsFile) else { return nil }
        console = session.console
        file = Self.file(at: path)
        do throws(OwnFile.Problem) {
            try file.replace(with: MetricFamily.text(of: [.build]) + "\n")
        } catch {
            guard error.isTemporary else { throw CommandFailure(.usage, message: Self.message(of: error, path)) }
            report(error)
        }
    }

    static func file(at path: String) -> OwnFile {
        OwnFile(path: path, beginning: "# HELP \(MetricFamily.prefix)", isPublic: true)
    }

    private static func message(of problem: OwnFile.Problem, _ path: String) -> String {
        "--metrics-file \(path) cannot be written: \(problem.text)."
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
        do throws(OwnFile.Problem) {
            try file.replace(with: MetricFamily.text(of: families) + "\n")
            report(nil)
        } catch {
            report(error)
        }
    }

    /// Prints a problem that was not printed before; nil is none.
    private func report(_ problem: OwnFile.Problem?) {
        let isNew = state.withLock { state in
            defer { state.printedProblem = problem }
            return problem != nil && problem != state.printedProblem
        }
        if isNew, let problem { console.error(Self.message(of: problem, file.path)) }
    }
}
