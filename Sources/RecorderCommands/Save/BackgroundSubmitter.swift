import RecorderConcurrency
import RecorderDelivery
import RecorderEngine
import RecorderStore

/// Sends while a command saves: soon after a save, at most once a second, and a stream less often while it fails. While nothing is
/// saved it looks at the store now and then, down to once a minute. With a buffer, records wait until that is full or old enough.
final class BackgroundSubmitter: Sendable {
    private let pipeline: RecordPipeline
    private let console: Console
    private let stop: StopSignal
    private let flushes: StoppableFlush
    private let metrics: MetricsFile?
    private let schedule: Locked<SubmitSchedule>
    private let wake = WakeSignal()
    /// Who waits for the end, once that is asked for.
    private let finishing = Locked<CheckedContinuation<ExitStatus?, Never>?>(nil)
    private let printedErrors = Locked(PrintedErrors())

    init(
        _ pipeline: RecordPipeline,
        console: Console,
        stop: StopSignal,
        buffer: SendBuffer? = nil,
        metrics: MetricsFile? = nil
    ) {
        self.pipeline = pipeline
        self.console = console
        self.stop = stop
        self.metrics = metrics
        flushes = StoppableFlush(pipeline, stop: stop)
        schedule = Locked(SubmitSchedule(buffer, at: .now))
    }

    /// Call it once, before `finish`.
    func start() throws(CommandFailure) {
        try CommandFailure.startThread(named: "recorder-submit") { self.run() }
    }

    /// Records of the store were saved.
    func saved() {
        if schedule.withLock({ $0.saved(at: .now) }) { wake.wake() }
    }

    private func run() {
        while true {
            if let end = finishing.withLock({ $0.take() }) { return end.resume(returning: finalStatus()) }
            let rest = stop.number == nil ? schedule.withLock { $0.nextLook } - .now : .seconds(60)
            if rest > .zero { wake.wait(rest) } else { look() }
        }
    }

    private func finalStatus() -> ExitStatus? {
        guard stop.number == nil else { return nil }
        let start = ContinuousClock.now
        let outcome = flushes.runBlocking()
        note(outcome, since: start)
        return outcome.status
    }

    /// Begins to send what is due. It goes on while the next look comes, so that a stream that is slow or fails delays no other
    /// one.
    private func look() {
        schedule.withLock { $0.lookBegan(at: .now) }
        let stored = (try? pipeline.totals()).map { SubmitSchedule.Stored.records($0.records, bytes: $0.bytes) }
        if case .records(0, _)? = stored { noteEmptyStore() }
        guard schedule.withLock({ $0.found(stored ?? .unreadable, at: .now) }) else { return }
        let start = ContinuousClock.now
        flushes.begin(.due) { outcome in
            self.note(outcome, since: start)
            self.schedule.withLock { $0.submitted(SubmitSchedule.Outcome(outcome), at: .now) }
            self.wake.wake()
        }
    }

    /// Stops the sending, with a last submit unless a signal ended the saving, and says what stays. Returns the status if that
    /// failed.
    func finish() async -> ExitStatus? {
        let failure = await withCheckedContinuation { continuation in
            finishing.withLock { $0 = continuation }
            wake.wake()
        }
        await flushes.ended()
        let left = (try? pipeline.totals().records) ?? 0
        if left > 0 {
            let text =
                "\(Formatting.counted(left, "record stays", plural: "records stay")) stored; `\(Program.name) submit` sends them."
            if stop.number != nil { console.progress(text) } else { console.error(text) }
        }
        return failure
    }

    private func note(_ outcome: FlushOutcome, since start: ContinuousClock.Instant) {
        metrics?.submitted(pipeline.service.name, outcome, since: start)
        // A signal is no news of the errors before.
        if !outcome.isStopped { tell(outcome.errors, omitted: outcome.omitted, recovery: outcome.recovery) }
    }

    private func noteEmptyStore() {
        metrics?.run.countSuccess(of: pipeline.service.name)
        tell([], recovery: FlushOutcome.nothingLeft)
    }

    /// Prints errors that are new, or `recovery` when there are none any more.
    private func tell(_ errors: [SendError], omitted: Set<String> = [], recovery: String) {
        let change = printedErrors.withLock { $0.update(errors, omitted: omitted) }
        for error in change.new { console.error("\(error.text) Records wait on disk meanwhile.") }
        if change.haveEnded { console.progress(recovery) }
    }
}

extension SubmitSchedule.Outcome {
    fileprivate init(_ outcome: FlushOutcome) {
        if outcome.errors.contains(where: { $0.stream == nil }) {
            self = .failed
        } else if outcome.delivered == 0, !outcome.omitted.isEmpty || !outcome.errors.isEmpty {
            self = .waiting(until: outcome.nextDue)
        } else {
            self = .useful
        }
    }
}
