import RecorderConcurrency
import RecorderEngine

/// `save --submit`: sends beside the saving, once a second; after a failure less and less often, up to once a minute.
final class BackgroundSubmitter: Sendable {
    private let pipeline: RecordPipeline
    private let console: Console
    private let stop: StopSignal
    private let flushes: StoppableFlush
    private let work = Locked<Task<Void, Never>?>(nil)
    /// What was last said to be wrong, so that it is said once.
    private let trouble = Locked<String?>(nil)

    private static let pause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)

    init(_ pipeline: RecordPipeline, _ console: Console, _ stop: StopSignal) {
        self.pipeline = pipeline
        self.console = console
        self.stop = stop
        flushes = StoppableFlush(pipeline, stop)
    }

    func start() {
        work.withLock { $0 = Task { await self.run() } }
    }

    private func run() async {
        var pause = Self.pause
        while !Task.isCancelled, stop.number == nil {
            pause = await submit() == nil ? Self.pause : min(pause * 2, Self.longestPause)
            try? await Task.sleep(for: pause)
        }
    }

    /// Ends the sending: with a last submit, unless a signal ended the saving. Returns how that failed.
    func finish() async -> ExitStatus? {
        let running = work.withLock { $0 }
        running?.cancel()
        await running?.value
        guard stop.number == nil else { return nil }
        let failure = await submit()
        let left = (try? pipeline.totals().records) ?? 0
        if left > 0 {
            console.error("\(Formatting.records(left)) stay stored; `\(CommandTable.program) submit` sends them.")
        }
        return failure
    }

    private func submit() async -> ExitStatus? {
        let outcome = await flushes.run()
        let words = outcome.troubles.joined(separator: "\n")
        let isNews = trouble.withLock { trouble in
            defer { trouble = outcome.status == nil ? nil : words }
            return outcome.status == nil ? trouble != nil : trouble != words
        }
        if isNews, outcome.status == nil {
            console.progress("sending works again.")
        } else if isNews {
            for trouble in outcome.troubles { console.error("\(trouble) Records wait on disk meanwhile.") }
        }
        return outcome.status
    }
}
