import LineRecords
import RecorderAWS
import RecorderConcurrency
import RecorderEngine
import RecorderStore

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

    init(session: Session) throws(CommandFailure) {
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
        try metrics.checking(check)
        let input = try InputReader(settings.file, stop: stop)
        if session.invocation.has(.fromByte) { try input.seek(to: settings.start, after: settings.rules.delimiter) }
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
        try session.access.check(session.service.service)
    }

    // MARK: reading

    /// How the reading of the input ended.
    struct Reading: Sendable {
        var failure: CommandFailure?
        var refused: [RecordCounts.LongLine] = []
        var refusedCount = 0
        /// How many records did not fit the rule of the partition key.
        var withoutKey = 0
        var givenUp = 0
        /// Whether a signal came in the middle of a record.
        var isCutOff = false
        /// Whether what was not read is still there, for a second run.
        var isRegularFile = false
        /// Whether something of it was not read.
        var hasRest = false
        /// Everything before it was saved or refused.
        var position = InputPosition()
    }

    /// Reads the input to its end, and saves its records; `saved` is called when some are stored.
    private func read(_ input: InputReader, saved: @escaping @Sendable () -> Void) -> Reading {
        let window = SaveWindow()
        let save: (AssembledRecords) -> Void = { self.save($0, through: window, saved: saved) }
        var reading = Reading()
        var assembler = RecordAssembler(settings.rules, start: settings.start)
        do {
            while tally.failure == nil,
                let chunk = try input.next(within: assembler.holdsRecord ? RecordRules.multilineWait : nil)
            {
                if chunk.isEmpty { assembler.endRecord().forEach(save) }
                let before = assembler.counts
                assembler.add(chunk).forEach(save)
                note(assembler.counts, after: before)
            }
            // A record without a delimiter is complete only at the end of the input.
            if tally.failure == nil {
                (stop.number == nil ? assembler.finish() : assembler.endRecord()).forEach(save)
            }
        } catch {
            reading.failure = error
        }
        window.waitUntilEmpty()
        reading.isRegularFile = input.isRegularFile
        reading.isCutOff = assembler.isWithinLine && stop.number != nil
        reading.hasRest = input.hasRest || reading.isCutOff && reading.isRegularFile
        reading.position = tally.firstFailed ?? assembler.position
        // A second run refuses those after the position again.
        let counts = assembler.counts
        reading.refused = counts.refused.filter { $0.number <= reading.position.records }
        reading.refusedCount =
            tally.firstFailed.map { $0.records - $0.dropped - tally.saved } ?? counts.refusedCount
        (reading.withoutKey, reading.givenUp) = (counts.withoutKey, counts.givenUp)
        return reading
    }

    /// Says once that a record has no partition key, and that a search was given up, when the first one is found.
    private func note(_ counts: RecordCounts, after before: RecordCounts) {
        metrics?.run.countGivenUp(counts.givenUp - before.givenUp, of: pipeline.service.name)
        if before.firstGivenUp == nil, let note = counts.noteGivenUp { session.console.warning(note) }
        guard before.firstWithoutKey == nil, let number = counts.firstWithoutKey,
            let note = settings.rules.noteWithoutKey(number)
        else { return }
        session.console.warning(note)
    }

    private func save(
        _ lines: AssembledRecords,
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
        ) { [tally, position = lines.start] result in
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
