import Dispatch
import Glibc
import RecorderConcurrency
import RecorderDelivery
import RecorderEngine
import RecorderStore

/// Flushes of one store that end within ten seconds of the first signal, whatever the server does.
///
/// Requests under way get some time for an answer, so that records are not sent twice. After that they are cancelled, as is
/// a wait for credentials or for another process's submit. Records without an answer stay stored.
final class StoppableFlush: Sendable {
    private struct State {
        var lastNumber = 0
        /// The flushes that have not ended.
        var tickets: [Int: FlushTicket?] = [:]
        /// Resumed when there are none.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let pipeline: RecordPipeline
    private let state = Locked(State())

    /// How long to wait for answers after a signal. Services answer within seconds.
    private static let grace = Duration.seconds(8)
    /// How long a cancelled flush may take to end. One that waits for a lock of the store is abandoned, which is safe: a
    /// store survives the end of the process at any instant.
    private static let ending = Duration.seconds(1)

    init(_ pipeline: RecordPipeline, stop: StopSignal) {
        self.pipeline = pipeline
        stop.whenStopped {
            stop.run(after: Self.grace) {
                pipeline.cancelFlush()
                stop.run(after: Self.ending) { self.abandon() }
            }
        }
    }

    /// Sends all records stored before the call.
    func run() async -> FlushOutcome {
        await withCheckedContinuation { continuation in
            begin(.all) { continuation.resume(returning: $0) }
        }
    }

    /// The same on a thread that may block.
    func runBlocking() -> FlushOutcome {
        let done = DispatchSemaphore(value: 0)
        let result = Locked<FlushOutcome?>(nil)
        begin(.all) { outcome in
            result.withLock { $0 = outcome }
            done.signal()
        }
        done.wait()
        guard let outcome = result.withLock({ $0 }) else { preconditionFailure("a flush ended without an outcome") }
        return outcome
    }

    /// Begins to send records stored before the call, and returns.
    func begin(_ scope: StreamScheduler.Scope, _ completion: @escaping @Sendable (FlushOutcome) -> Void) {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.tickets[state.lastNumber] = .some(nil)
            return state.lastNumber
        }
        let ticket = pipeline.flush(scope) {
            completion(FlushOutcome($0))
            self.ended(number)
        }
        state.withLock { state in
            if state.tickets[number] != nil { state.tickets[number] = ticket }
        }
    }

    /// Whether no flush is under way.
    var isIdle: Bool { state.withLock { $0.tickets.isEmpty } }

    /// Returns when none is.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.tickets.isEmpty { state.waiting.append(continuation) }
                return state.tickets.isEmpty
            }
            if isIdle { continuation.resume() }
        }
    }

    private func ended(_ number: Int) {
        let waiting = state.withLock { state in
            state.tickets[number] = nil
            guard state.tickets.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func abandon() {
        let tickets = state.withLock { $0.tickets.values.compactMap(\.self) }
        for ticket in tickets { pipeline.withdraw(ticket) }
    }
}

/// The result of one flush, as the command line reports it.
struct FlushOutcome: Sendable {
    var delivered = 0
    /// The entries of requests in which these were delivered.
    var entries = 0
    /// One for each stream that was not sent completely, or one for the whole flush.
    var errors: [SendError] = []
    /// nil if everything was sent that was due, or a signal ended the flush.
    var status: ExitStatus?
    /// Whether a signal ended it.
    var isStopped = false
    /// The streams that were left for later.
    var omitted: Set<String> = []
    /// When the flush is to be repeated for streams that failed; nil if none did, or none could be tried.
    var nextDue: ContinuousClock.Instant?

    /// Whether it had nothing to do for now.
    var isOnlyOmitted: Bool { delivered == 0 && errors.isEmpty && !omitted.isEmpty }

    /// What to say once there are no errors any more.
    var recovery: String { delivered > 0 ? "sending works again." : FlushOutcome.nothingLeft }

    /// Somebody else has sent or removed the records.
    static let nothingLeft = "nothing is left to send."

    init(_ result: Result<FlushReport, RecorderError>) {
        switch result {
        case .success(let report):
            delivered = report.delivered
            entries = report.entries
            // A stream that stopped because of a signal has no error.
            let failures = report.failures.filter { !$0.error.isCancellation }
            isStopped = failures.count < report.failures.count
            errors = failures.map {
                SendError(stream: $0.stream.rawValue, text: "\($0.stream): \($0.error.sentence)")
            }
            status = failures.first.map { ExitStatus($0.error) }
            omitted = Set(report.omitted.map(\.rawValue))
            nextDue = report.nextDue
        case .failure(let error) where error.isCancellation: isStopped = true
        case .failure(let error):
            errors = [SendError(text: error.sentence)]
            status = ExitStatus(error)
        }
    }
}

/// Why records were not sent: those of one stream, or of all.
struct SendError: Sendable, Hashable {
    var stream: String?
    var text: String

    /// The same whenever it comes again: request IDs, times and durations are new each time; a status, a host or a resource is not.
    fileprivate var kind: SendError {
        let words = text.split(separator: " ")
        let kept = zip(words, words.dropFirst() + [""]).map { Self.isNew($0, before: $1) ? "#" : $0 }
        return SendError(stream: stream, text: kept.joined(separator: " "))
    }

    private static func isNew(_ word: Substring, before next: Substring) -> Bool {
        let unit = next.prefix(while: \.isLetter)
        let isAmount = word.allSatisfy(\.isNumber) && ["ms", "milliseconds", "seconds", "out", "bytes"].contains(unit)
        let isName = word.dropLast().contains { ":/.".contains($0) }
        let isID = word.count >= 16 && word.contains(where: \.isNumber) && !isName
        return isAmount || isID
    }
}

/// The errors that were printed and hold still: each is printed once.
struct PrintedErrors: Sendable {
    private(set) var current: [SendError] = []

    /// Takes the errors of a flush; what is known of streams that it omitted stays. Returns what is new, whether anything has
    /// changed, and whether there are none any more.
    mutating func update(
        _ errors: [SendError],
        omitted: Set<String> = []
    ) -> (new: [SendError], haveChanged: Bool, haveEnded: Bool) {
        let before = current
        current = errors + before.filter { error in error.stream.map(omitted.contains) ?? false }
        let (old, new) = (Set(before.map(\.kind)), Set(current.map(\.kind)))
        return (errors.filter { !old.contains($0.kind) }, old != new, !before.isEmpty && current.isEmpty)
    }
}
