import Dispatch
import RecorderAWS
import RecorderConcurrency
import RecorderEngine

/// `save STREAM`: lines from standard input or a file become records.
struct SaveCommand: Command {
    private let session: Session
    private let settings: SaveSettings
    private let tally: SaveTally
    private let pipeline: RecordPipeline
    /// Stops at the first record that cannot be stored, so that the store holds the beginning of the input.
    private let sequence = SaveSequence()
    private let stop = StopSignal.shared

    /// The limit for bytes between the input and the disk. Each record counts so many bytes more.
    private static let window = ByteCount.mebibytes(4)
    private static let overhead = 32

    init(_ session: Session) throws(CommandFailure) {
        self.session = session
        settings = try SaveSettings(session)
        let tally = SaveTally(session.console)
        self.tally = tally
        pipeline = try session.pipeline(for: session.service, policy: settings.policy) { tally.handle($0) }
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        let start = ContinuousClock.now
        try check()
        let input = try InputReader(settings.file, stop: stop)
        if session.invocation.has(.fromByte) { try input.seek(to: settings.start, after: settings.delimiter) }
        let submitter = settings.submits ? BackgroundSubmitter(pipeline, console: session.console, stop: stop) : nil
        submitter?.start()
        let reading = await onNewThread(named: "recorder-input") { [input = Unshared(input)] in read(input.value) }
        // The records that the limits of this run do not allow are discarded, and reported, before the process ends.
        if stop.number == nil { await pipeline.limitsEnforced() }
        let failure = await submitter?.finish()
        let summary = SaveSummary(settings: settings, tally: tally, reading: reading, console: session.console)
        return summary.print(submitFailure: failure, elapsed: ContinuousClock.now - start)
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
        /// Whether a signal came in the middle of a record.
        var isCutOff = false
        /// Whether a second run can continue at any byte of the input.
        var isRegularFile = false
        /// Everything before it was saved or refused.
        var position = RecordSplitter.Position()
    }

    private func read(_ input: InputReader) -> Reading {
        let window = SaveWindow(capacity: Self.window)
        var reading = Reading()
        var splitter = RecordSplitter(
            delimiter: settings.delimiter,
            keepsDelimiter: settings.keepsDelimiter,
            limit: settings.recordLimit,
            start: settings.start
        )
        do {
            while tally.failure == nil, let chunk = try input.next() {
                splitter.split(chunk) { save($0, through: window) }
            }
            // A record without a delimiter is complete only at the end of the input.
            if stop.number == nil, tally.failure == nil { splitter.finish { save($0, through: window) } }
        } catch {
            reading.failure = error
        }
        window.waitUntilEmpty()
        reading.isRegularFile = input.isRegularFile
        reading.isCutOff = splitter.isWithinRecord && stop.number != nil
        reading.position = tally.firstFailed ?? splitter.position
        // A second run refuses those after the position again.
        reading.refused = splitter.refused.filter { $0.number <= reading.position.records }
        reading.refusedCount = tally.firstFailed.map { $0.records - tally.saved } ?? splitter.refusedCount
        return reading
    }

    private func save(_ lines: RecordSplitter.Lines, through window: SaveWindow) {
        let count = lines.payloads.ranges.count
        let size = lines.payloads.bytes.count + count * Self.overhead
        window.enter(size)
        pipeline.save(
            lines.payloads,
            stream: settings.stream,
            partitionKey: settings.partitionKey,
            sequence: sequence
        ) { [tally, position = lines.position] result in
            tally.count(result, of: count, at: position)
            window.leave(size)
        }
    }
}

/// Limits the bytes between the input and the disk: a reader that is faster than the disk waits here. Only one thread waits.
private final class SaveWindow: Sendable {
    private let load = Locked(0)
    private let released = DispatchSemaphore(value: 0)
    private let capacity: ByteCount

    init(capacity: ByteCount) {
        self.capacity = capacity
    }

    /// Blocks until there is room. An empty window takes a chunk of any size.
    func enter(_ size: Int) {
        while !tryToEnter(size) { released.wait() }
    }

    private func tryToEnter(_ size: Int) -> Bool {
        load.withLock { load in
            guard load == 0 || load + size <= capacity.bytes else { return false }
            load += size
            return true
        }
    }

    func leave(_ size: Int) {
        load.withLock { $0 -= size }
        released.signal()
    }

    /// Blocks until the window is empty.
    func waitUntilEmpty() {
        while load.withLock({ $0 }) > 0 { released.wait() }
    }
}

/// A value that is handed to one thread, which alone uses it.
private struct Unshared<Value>: @unchecked Sendable {
    // Safe because the caller does not touch the value after handing it over.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
