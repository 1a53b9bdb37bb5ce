import FoundationEssentials
import RecorderAWS
import RecorderConcurrency
import RecorderEngine
import RecorderStore

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
    private let sends: Bool
    private let console: Console
    /// The label `unit` of each value, where systemd runs this: the files of two units never have the same series.
    private let labels: [(name: String, value: String)]
    private let state = Locked(State())
    private let writing = Locked(())
    private let wake = WakeSignal()

    private struct State {
        var stores: [Store] = []
        var hasStarted = false
        /// Who waits for the last writing, once that is asked for.
        var finishing: CheckedContinuation<Void, Never>?
        var printedProblem: OwnFile.Problem?
    }

    private struct Store {
        let service: String
        let path: String
        /// nil as long as it is not used.
        var pipeline: RecordPipeline?
    }

    /// nil without --metrics-file. `sends` says whether the command submits. Throws if the path cannot be used.
    init?(_ session: Session, sends: Bool) throws(CommandFailure) {
        guard let path = session.invocation.value(.metricsFile) else { return nil }
        (self.sends, console) = (sends, session.console)
        labels = session.serviceManager.unit.map { [("unit", $0)] } ?? []
        file = Self.file(at: path)
        do throws(OwnFile.Problem) {
            try file.checkReplacing()
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

    /// From now on the file names a store, which need not exist.
    func add(_ service: StreamServiceDescription, at location: StoreLocation) {
        state.withLock { $0.stores.append(Store(service: service.name, path: location.path)) }
    }

    /// From now on the file has the counts of a store, too.
    func add(_ pipeline: RecordPipeline, at location: StoreLocation) {
        let store = Store(service: pipeline.service.name, path: location.path, pipeline: pipeline)
        run.add(store.service, store: store.path, sends: sends)
        state.withLock { state in
            state.stores.removeAll { $0.service == store.service }
            state.stores.append(store)
        }
    }

    /// Writes the file now and every 15 seconds, until `finish`.
    func start() throws(CommandFailure) {
        try CommandFailure.startThread(named: "recorder-metric") { [self] in
            while true {
                let end = state.withLock { $0.finishing.take() }
                write()
                if let end { return end.resume() }
                wake.wait(Self.interval)
            }
        }
        state.withLock { $0.hasStarted = true }
    }

    /// Writes the file for the last time.
    func finish() async {
        guard state.withLock({ $0.hasStarted }) else { return write() }
        await withCheckedContinuation { continuation in
            state.withLock { $0.finishing = continuation }
            wake.wake()
        }
    }

    /// Counts a submit that ended, and writes the file if it sent something or failed.
    func submitted(_ service: String, _ outcome: FlushOutcome, since start: ContinuousClock.Instant) {
        guard !outcome.isOnlyOmitted else { return }
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
        // The error of a store that cannot be read is printed by the submit.
        let read = stores.compactMap { store in
            store.pipeline.map { (store.service, store.path, status: try? $0.status()) }
        }
        let reports = read.compactMap { service, path, status in
            status.map { StatusReport($0, of: service, at: path) }
        }
        let about = [
            MetricFamily.build(stores.map { ($0.service, $0.path) }),
            MetricFamily.readable(read.map { ($0, $1, isReadable: $2 != nil) }),
        ]
        let families = about + StatusReport.metrics(of: reports) + run.families
        do throws(OwnFile.Problem) {
            try file.replace(with: MetricFamily.text(of: families, labels: labels) + "\n")
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
        if isNew, let problem { console.warning(Self.message(of: problem, file.path)) }
    }
}

extension Optional<MetricsFile> {
    /// Performs a check before the command begins. If it fails, the file has that instead of what an earlier command left.
    func checking(_ check: () throws(CommandFailure) -> Void) throws(CommandFailure) {
        do throws(CommandFailure) {
            try check()
        } catch {
            self?.write()
            throw error
        }
    }
}
