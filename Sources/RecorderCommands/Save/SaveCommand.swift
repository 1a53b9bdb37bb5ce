import Foundation
import RecorderEngine

/// `save STREAM`: lines from standard input or a file become records.
struct SaveCommand: Sendable {
    private let session: Session
    private let settings: SaveSettings
    private let tally: SaveTally
    private let pipeline: RecordPipeline
    private let stop = StopSignal.shared

    /// What may be on its way from the input to the disk: bytes, and so many more for each record.
    private static let windowBytes = 8 * 1_024 * 1_024
    private static let overhead = 512

    init(_ session: Session) throws(CommandFailure) {
        self.session = session
        settings = try SaveSettings(session)
        let tally = SaveTally(session.console)
        self.tally = tally
        pipeline = try session.pipeline(session.service, settings.policy, report: { tally.take($0) })
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        let clock = ContinuousClock.now
        try check()
        let input = try InputReader(settings.file, stop: stop)
        let shipper = settings.submits ? Shipper(pipeline, session.console, stop) : nil
        shipper?.start()
        let ending = await Threads.run { [input = Unshared(input)] in read(input.value) }
        let failure = await shipper?.finish()
        return report(ending, failure, ContinuousClock.now - clock)
    }

    /// Whatever would make every line fail is said before the first one is read.
    private func check() throws(CommandFailure) {
        try CommandFailure.naming { () throws(RecorderError) in
            _ = try pipeline.totals()
            if settings.submits { _ = try session.caller(of: session.service.service) }
        }
    }

    // MARK: reading

    /// How the reading ended.
    private struct Ending: Sendable {
        var failure: CommandFailure?
        var refused: [RecordSplitter.Refusal] = []
        var refusedCount = 0
        var cutOff = false
    }

    private func read(_ input: InputReader) -> Ending {
        let window = SaveWindow(capacity: Self.windowBytes)
        var ending = Ending()
        var splitter = RecordSplitter(
            delimiter: settings.delimiter,
            keepsDelimiter: settings.keepsDelimiter,
            maximumBytes: settings.policy.maximumRecordBytes
        )
        do {
            while tally.failure == nil, let chunk = try input.next() {
                save(chunk, &splitter, window)
            }
        } catch {
            ending.failure = error
        }
        if stop.number == nil {
            splitter.finish { save([$0], window) }
        } else {
            ending.cutOff = splitter.isWithinRecord
        }
        window.waitUntilEmpty()
        ending.refused = splitter.refused
        ending.refusedCount = splitter.refusedCount
        return ending
    }

    private func save(_ chunk: [UInt8], _ splitter: inout RecordSplitter, _ window: SaveWindow) {
        var records: [Data] = []
        splitter.take(chunk) { records.append($0) }
        save(records, window)
    }

    /// Saves complete in order, so the last one of a chunk gives back the place of all.
    private func save(_ records: [Data], _ window: SaveWindow) {
        guard let last = records.last else { return }
        let size = records.reduce(0) { $0 + $1.count + Self.overhead }
        window.enter(size)
        let note: SaveCompletion = { [tally] in tally.note($0) }
        for record in records.dropLast() { save(record, note) }
        save(last) { [tally] result in
            tally.note(result)
            window.leave(size)
        }
    }

    private func save(_ record: Data, _ completion: @escaping SaveCompletion) {
        pipeline.save(record, stream: settings.stream, partitionKey: settings.partitionKey, completion: completion)
    }

    // MARK: the end

    private func report(_ ending: Ending, _ submitFailure: ExitStatus?, _ elapsed: Duration) -> ExitStatus {
        let console = session.console
        tally.finish()
        for refusal in ending.refused {
            console.error(
                "record \(Wording.count(refusal.number)) is \(Wording.count(refusal.bytes)) bytes; the limit is "
                    + "\(Wording.count(settings.policy.maximumRecordBytes)). It was not saved: split it or compress it."
            )
        }
        if ending.cutOff { console.error("the last record was cut off by the signal; it was not saved.") }
        if let failure = tally.failure {
            console.error("\(failure.message) \(Wording.records(tally.failed)) read were not saved.")
        }
        if let failure = ending.failure { console.error(failure.message) }
        var line = "saved \(Wording.records(tally.saved)) to \(settings.stream) in \(Wording.elapsed(elapsed))"
        if tally.saved > 0 { line += " (\(Wording.rate(tally.saved, in: elapsed)))" }
        if ending.refusedCount > 0 { line += "; refused \(Wording.count(ending.refusedCount))" }
        console.report(line)
        if let failure = tally.failure { return ExitStatus(failure) }
        if let failure = ending.failure { return failure.status }
        if let number = stop.number { return .signal(number) }
        return ending.refusedCount > 0 ? .refusedRecords : submitFailure ?? .success
    }
}

/// Something that is handed to one thread, which alone uses it.
struct Unshared<Value>: @unchecked Sendable {
    // Safe because whoever hands the value over does not touch it again.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
