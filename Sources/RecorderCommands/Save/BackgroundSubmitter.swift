import RecorderConcurrency
import RecorderEngine

/// Sends while a command saves: soon after a save, at most once a second, and less often while sending fails. While nothing is
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
    /// The errors that were printed last: the same ones are not printed again.
    private let printedErrors = Locked<[String]>([])

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
            if let end = finishing.withLock({ $0.take() }) {
                return end.resume(returning: stop.number == nil ? submit().status : nil)
            }
            let rest = stop.number == nil ? schedule.withLock { $0.nextLook } - .now : .seconds(60)
            if rest > .zero { wake.wait(rest) } else { look() }
        }
    }

    private func look() {
        let isFailing = schedule.withLock { schedule in
            schedule.lookBegan(at: .now)
            return schedule.isFailing
        }
        let stored = stored(isFailing: isFailing)
        if case .records(0, _, _) = stored { noteEmptyStore() }
        guard schedule.withLock({ $0.found(stored, at: .now) }) else { return }
        let outcome = submit()
        let result: SubmitSchedule.Outcome =
            outcome.status == nil || outcome.delivered > 0
            ? .useful : outcome.hasStreamErrors ? .streamsFailed : .failed
        schedule.withLock { $0.submitted(result, at: .now) }
    }

    private func stored(isFailing: Bool) -> SubmitSchedule.Stored {
        guard let totals = try? pipeline.totals() else { return .unreadable }
        let hasOthers = isFailing && (try? pipeline.hasStreamWithoutError()) == true
        return .records(totals.records, bytes: totals.bytes, hasOthers: hasOthers)
    }

    /// Stops the sending, with a last submit unless a signal ended the saving, and says what stays. Returns the status if that failed.
    func finish() async -> ExitStatus? {
        let failure = await withCheckedContinuation { continuation in
            finishing.withLock { $0 = continuation }
            wake.wake()
        }
        let left = (try? pipeline.totals().records) ?? 0
        if left > 0 {
            let text =
                "\(Formatting.counted(left, "record stays", plural: "records stay")) stored; `\(Program.name) submit` sends them."
            if stop.number != nil { console.progress(text) } else { console.error(text) }
        }
        return failure
    }

    private func submit() -> FlushOutcome {
        let start = ContinuousClock.now
        let outcome = flushes.runBlocking()
        metrics?.submitted(pipeline.service.name, outcome, since: start)
        if !outcome.isStopped { tell(outcome.errors, recovery: outcome.recovery) }
        return outcome
    }

    private func noteEmptyStore() {
        metrics?.run.countSuccess(of: pipeline.service.name)
        tell([], recovery: FlushOutcome.nothingLeft)
    }

    /// Prints errors that are new, or `recovery` when there are none any more.
    private func tell(_ errors: [String], recovery: String?) {
        let before = printedErrors.withLock { printed in
            defer { printed = errors }
            return printed
        }
        if let recovery, !before.isEmpty {
            console.progress(recovery)
        } else if errors != before {
            for error in errors { console.error("\(error) Records wait on disk meanwhile.") }
        }
    }
}
