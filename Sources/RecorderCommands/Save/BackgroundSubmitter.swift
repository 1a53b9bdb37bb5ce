import RecorderConcurrency
import RecorderEngine

/// Sends while a command saves: once a second, and less often while nothing arrives, down to once a minute. A stream that does
/// not exist, say, does not delay the others. With a buffer, a second passes without sending until that is full or old enough.
final class BackgroundSubmitter: Sendable {
    private let pipeline: RecordPipeline
    private let console: Console
    private let stop: StopSignal
    private let flushes: StoppableFlush
    private let buffer: SendBuffer?
    private let metrics: MetricsFile?
    private let task = Locked<Task<Void, Never>?>(nil)
    /// The errors that were printed last: the same ones are not printed again.
    private let printedErrors = Locked<[String]>([])

    private static let interval = Duration.seconds(1)
    private static let longestInterval = Duration.seconds(60)

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
        self.buffer = buffer
        self.metrics = metrics
        flushes = StoppableFlush(pipeline, stop: stop)
    }

    func start() {
        task.withLock { $0 = Task { await self.run() } }
    }

    private func run() async {
        var interval = Self.interval
        var lastSubmit = ContinuousClock.now
        var hasStreamErrors = false
        while !Task.isCancelled, stop.number == nil {
            if isDue(after: ContinuousClock.now - lastSubmit) {
                let outcome = await submit()
                let isUseful = outcome.status == nil || outcome.delivered > 0
                interval = isUseful ? Self.interval : min(interval * 2, Self.longestInterval)
                lastSubmit = .now
                hasStreamErrors = outcome.hasStreamErrors
            }
            await pause(interval, endsForOthers: hasStreamErrors)
        }
    }

    /// Waits for the next submit. A stream that failed delays no other: the wait ends when one has records that did not.
    private func pause(_ interval: Duration, endsForOthers: Bool) async {
        let end = ContinuousClock.now + interval
        repeat {
            try? await Task.sleep(for: endsForOthers ? Self.interval : interval)
        } while endsForOthers && !Task.isCancelled && stop.number == nil && ContinuousClock.now < end
            && (try? pipeline.hasStreamWithoutError()) != true
    }

    private func isDue(after elapsed: Duration) -> Bool {
        guard let buffer, elapsed < buffer.age, let totals = try? pipeline.totals() else { return true }
        return totals.records >= buffer.records || totals.bytes >= buffer.bytes
    }

    /// Stops the sending, with a last submit unless a signal ended the saving, and says what stays. Returns the status if that failed.
    func finish() async -> ExitStatus? {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
        let isStopped = stop.number != nil
        let failure = isStopped ? nil : await submit().status
        let left = (try? pipeline.totals().records) ?? 0
        if left > 0 {
            let text =
                "\(Formatting.counted(left, "record stays", plural: "records stay")) stored; `\(Program.name) submit` sends them."
            if isStopped { console.progress(text) } else { console.error(text) }
        }
        return failure
    }

    private func submit() async -> FlushOutcome {
        let start = ContinuousClock.now
        let outcome = await flushes.run()
        metrics?.submitted(pipeline.service.name, outcome, since: start)
        let before = printedErrors.withLock { errors in
            defer { if !outcome.isStopped { errors = outcome.errors } }
            return errors
        }
        if let recovery = outcome.recovery, !before.isEmpty {
            console.progress(recovery)
        } else if outcome.errors != before {
            for error in outcome.errors { console.error("\(error) Records wait on disk meanwhile.") }
        }
        return outcome
    }
}
