import RecorderConcurrency
import RecorderEngine

/// Sends while `save --submit` saves: once a second, and after failures less often, down to once a minute.
final class BackgroundSubmitter: Sendable {
    private let pipeline: RecordPipeline
    private let console: Console
    private let stop: StopSignal
    private let flushes: StoppableFlush
    private let task = Locked<Task<Void, Never>?>(nil)
    /// The errors that were printed last: the same ones are not printed again.
    private let printedErrors = Locked<[String]>([])

    private static let interval = Duration.seconds(1)
    private static let longestInterval = Duration.seconds(60)

    init(_ pipeline: RecordPipeline, console: Console, stop: StopSignal) {
        self.pipeline = pipeline
        self.console = console
        self.stop = stop
        flushes = StoppableFlush(pipeline, stop: stop)
    }

    func start() {
        task.withLock { $0 = Task { await self.run() } }
    }

    private func run() async {
        var interval = Self.interval
        while !Task.isCancelled, stop.number == nil {
            interval = await submit() == nil ? Self.interval : min(interval * 2, Self.longestInterval)
            try? await Task.sleep(for: interval)
        }
    }

    /// Stops the sending, with a last submit unless a signal ended the saving. Returns the status if that failed.
    func finish() async -> ExitStatus? {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
        guard stop.number == nil else { return nil }
        let failure = await submit()
        let left = (try? pipeline.totals().records) ?? 0
        if left > 0 {
            console.error("\(Formatting.records(left)) stay stored; `\(Program.name) submit` sends them.")
        }
        return failure
    }

    private func submit() async -> ExitStatus? {
        let outcome = await flushes.run()
        let before = printedErrors.withLock { errors in
            defer { errors = outcome.errors }
            return errors
        }
        if outcome.errors.isEmpty, !before.isEmpty {
            console.progress("sending works again.")
        } else if outcome.errors != before {
            for error in outcome.errors { console.error("\(error) Records wait on disk meanwhile.") }
        }
        return outcome.status
    }
}
