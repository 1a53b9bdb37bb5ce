import Foundation
import RecorderAWS
import RecorderEngine

/// `save STREAM`: lines from standard input or a file become records.
struct SaveCommand: Sendable {
    private let session: Session
    private let settings: SaveSettings
    private let tally: SaveTally
    private let pipeline: RecordPipeline
    /// What is stored is a beginning of the input.
    private let sequence = SaveSequence()
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
        if session.invocation.has(.fromByte) { try input.seek(to: settings.start, after: settings.delimiter) }
        let shipper = settings.submits ? BackgroundSubmitter(pipeline, session.console, stop) : nil
        shipper?.start()
        let ending = await Threads.run { [input = Unshared(input)] in read(input.value) }
        // The process ends, and what the limits do not allow is its own to discard and to report.
        if stop.number == nil { await pipeline.limitsEnforced() }
        let failure = await shipper?.finish()
        return SaveSummary(session, settings, tally).report(ending, failure, ContinuousClock.now - clock)
    }

    /// Whatever would make every line fail is said before the first one is read.
    private func check() throws(CommandFailure) {
        try CommandFailure.naming { () throws(RecorderError) in
            _ = try pipeline.totals()
            guard settings.submits else { return }
            do throws(ConfigurationFailure) {
                _ = try session.caller(of: session.service.service)
            } catch {
                throw .configuration(error)
            }
        }
    }

    // MARK: reading

    /// How the reading ended.
    struct Ending: Sendable {
        var failure: CommandFailure?
        var refused: [RecordSplitter.Refusal] = []
        var refusedCount = 0
        var cutOff = false
        /// Whether a second run can begin at any byte of the input.
        var isRegularFile = false
        /// What is before it is dealt with.
        var place = RecordSplitter.Place()
    }

    private func read(_ input: InputReader) -> Ending {
        let window = SaveWindow(capacity: Self.windowBytes)
        var ending = Ending()
        var splitter = RecordSplitter(
            delimiter: settings.delimiter,
            keepsDelimiter: settings.keepsDelimiter,
            maximumBytes: settings.policy.maximumRecordBytes,
            start: settings.start
        )
        do {
            while tally.failure == nil, let chunk = try input.next() {
                save(chunk, &splitter, window)
            }
            // What has no end yet is a record only where the input has ended.
            if stop.number == nil, tally.failure == nil { splitter.finish { save([$0], window) } }
        } catch {
            ending.failure = error
        }
        window.waitUntilEmpty()
        ending.isRegularFile = input.isRegularFile
        ending.cutOff = splitter.isWithinRecord && stop.number != nil
        ending.place = tally.firstFailed ?? splitter.place
        // A second run finds those behind that place again.
        ending.refused = splitter.refused.filter { $0.number <= ending.place.records }
        ending.refusedCount = tally.firstFailed.map { $0.records - tally.saved } ?? splitter.refusedCount
        return ending
    }

    private func save(_ chunk: [UInt8], _ splitter: inout RecordSplitter, _ window: SaveWindow) {
        var records: [RecordSplitter.Piece] = []
        splitter.take(chunk) { records.append($0) }
        save(records, window)
    }

    /// Saves complete in order, so the last one of a chunk gives back the place of all.
    private func save(_ records: [RecordSplitter.Piece], _ window: SaveWindow) {
        guard let last = records.last else { return }
        let size = records.reduce(0) { $0 + $1.data.count + Self.overhead }
        window.enter(size)
        for record in records.dropLast() { save(record) {} }
        save(last) { window.leave(size) }
    }

    private func save(_ record: RecordSplitter.Piece, then done: @escaping @Sendable () -> Void) {
        pipeline.save(
            record.data,
            stream: settings.stream,
            partitionKey: settings.partitionKey,
            sequence: sequence
        ) { [tally, place = record.place] result in
            tally.note(result, at: place)
            done()
        }
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
