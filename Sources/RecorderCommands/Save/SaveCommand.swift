import RecorderAWS
import RecorderConcurrency
import RecorderEngine

/// `save STREAM`: lines from standard input or a file become records.
struct SaveCommand: Command {
    private let session: Session
    private let settings: SaveSettings
    private let tally: SaveTally
    private let pipeline: RecordPipeline
    private let metrics: MetricsFile?
    /// Stops at the first record that cannot be stored, so that the store holds the beginning of the input.
    private let sequence = SaveSequence()
    private let stop = StopSignal.shared

    init(_ session: Session) throws(CommandFailure) {
        self.session = session
        settings = try SaveSettings(session)
        let tally = SaveTally(session.console)
        self.tally = tally
        metrics = try MetricsFile(session, sends: settings.submits)
        pipeline = try session.pipeline(for: session.service, policy: settings.policy, metrics: metrics) {
            tally.handle($0)
        }
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        let start = ContinuousClock.now
        try check()
        let input = try InputReader(settings.file, stop: stop)
        if session.invocation.has(.fromByte) { try input.seek(to: settings.start, after: settings.delimiter) }
        let (console, metrics) = (session.console, metrics)
        let submitter =
            settings.submits ? BackgroundSubmitter(pipeline, console: console, stop: stop, metrics: metrics) : nil
        try metrics?.start()
        try submitter?.start()
        let reading = try await CommandFailure.onNewThread(named: "recorder-input") { [input = Unshared(input)] in
            read(input.value) { submitter?.saved() }
        }
        // The records that the limits of this run do not allow are discarded, and reported, before the process ends.
        if stop.number == nil { await pipeline.limitsEnforced() }
        let failure = await submitter?.finish()
        await metrics?.finish()
        let left = try? pipeline.totals().records
        let summary = SaveSummary(settings: settings, tally: tally, reading: reading, console: console, left: left)
        let asJSON = session.invocation.has(.summary)
        return try summary.print(submitFailure: failure, elapsed: ContinuousClock.now - start, asJSON: asJSON)
    }

    /// Throws what would make every record fail, before the first one is read.
    private func check() throws(CommandFailure) {
        _ = try CommandFailure.wrapping(try pipeline.totals())
        guard settings.submits else { return }
        do throws(ConfigurationFailure) {
            _ = try session.caller(for: session.service.service)
        } catch {
            throw CommandFailure(.configuration(error))
        }
    }

    // MARK: reading

    /// How the reading of the input ended.
    struct Reading: Sendable {
        var failure: CommandFailure?
        var refused: [RecordSplitter.Refusal] = []
        var refusedCount = 0
        /// How many records did not fit the rule of the partition key.
        var withoutKey = 0
        /// Whether a signal came in the middle of a record.
        var isCutOff = false
        /// Whether a second run can continue at any byte of the input.
        var isRegularFile = false
        /// Everything before it was saved or refused.
        var position = RecordSplitter.Position()
    }

    /// Reads the input to its end, and saves its records; `saved` is called when some are stored.
    private func read(_ input: InputReader, saved: @escaping @Sendable () -> Void) -> Reading {
        let window = SaveWindow()
        let save: (RecordSplitter.Lines) -> Void = { self.save($0, through: window, saved: saved) }
        var reading = Reading()
        var splitter = RecordSplitter(
            delimiter: settings.delimiter,
            keepsDelimiter: settings.keepsDelimiter,
            limit: settings.recordLimit,
            start: settings.start,
            rules: settings.rules
        )
        do {
            while tally.failure == nil,
                let chunk = try input.next(within: splitter.holdsRecord ? RecordRules.multilineWait : nil)
            {
                if chunk.isEmpty { splitter.endRecord(body: save) }
                let withoutKey = splitter.counts.withoutKey
                splitter.split(chunk, body: save)
                if withoutKey == 0 { noteWithoutKey(splitter.counts) }
            }
            // A record without a delimiter is complete only at the end of the input.
            if tally.failure == nil {
                if stop.number == nil {
                    splitter.finish(body: save)
                } else {
                    splitter.endRecord(body: save)
                }
            }
        } catch {
            reading.failure = error
        }
        window.waitUntilEmpty()
        reading.isRegularFile = input.isRegularFile
        reading.isCutOff = splitter.isWithinLine && stop.number != nil
        reading.position = tally.firstFailed ?? splitter.position
        // A second run refuses those after the position again.
        let counts = splitter.counts
        reading.refused = counts.refused.filter { $0.number <= reading.position.records }
        reading.refusedCount =
            tally.firstFailed.map { $0.records - $0.dropped - tally.saved } ?? counts.refusedCount
        reading.withoutKey = counts.withoutKey
        return reading
    }

    /// Says once that a record has no partition key, when the first one is found.
    private func noteWithoutKey(_ counts: RecordCounts) {
        guard let number = counts.firstWithoutKey, let note = settings.rules.noteWithoutKey(number) else { return }
        session.console.warning(note)
    }

    private func save(
        _ lines: RecordSplitter.Lines,
        through window: SaveWindow,
        saved: @escaping @Sendable () -> Void
    ) {
        let count = lines.payloads.ranges.count
        let size = lines.payloads.bytes.count + count * SaveWindow.overhead
        window.enter(size)
        pipeline.save(
            lines.payloads,
            stream: settings.stream,
            partitionKey: settings.partitionKey,
            sequence: sequence
        ) { [tally, position = lines.position] result in
            tally.count(result, of: count, at: position)
            if case .success = result { saved() }
            window.leave(size)
        }
    }
}

/// A value that is handed to one thread, which alone uses it.
struct Unshared<Value>: @unchecked Sendable {
    // Safe because the caller does not touch the value after handing it over.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
