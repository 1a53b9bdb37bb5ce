import RecorderConcurrency
import RecorderEngine

/// Counts what became of the records of one `save`, and says what is lost.
final class SaveTally: Sendable {
    private struct State {
        var saved = 0
        var failed = 0
        var failure: RecorderError?
        var firstFailed: RecordSplitter.Place?
    }

    private let state = Locked(State())
    private let discards: DiscardLog
    private let console: Console

    init(_ console: Console) {
        self.console = console
        discards = DiscardLog(console)
    }

    var saved: Int { state.withLock { $0.saved } }
    var failed: Int { state.withLock { $0.failed } }
    /// The first save that failed.
    var failure: RecorderError? { state.withLock { $0.failure } }

    /// Where the first record begins that was not saved.
    var firstFailed: RecordSplitter.Place? { state.withLock { $0.firstFailed } }

    /// What became of the record that begins there.
    func note(_ result: Result<Void, RecorderError>, at place: RecordSplitter.Place) {
        state.withLock { state in
            switch result {
            case .success: state.saved += 1
            case .failure(let error):
                state.failed += 1
                state.failure = state.failure ?? error
                state.firstFailed = min(state.firstFailed ?? place, place)
            }
        }
    }

    func take(_ event: RecorderEvent) {
        discards.take(event)
    }

    func finish() {
        discards.finish()
    }
}

/// Says what left the store undelivered: at once, then at most every ten seconds, as there may be many.
final class DiscardLog: Sendable {
    private struct State {
        var waiting: [Discard] = []
        var lastPrinted: ContinuousClock.Instant?

        mutating func takeAll() -> [Discard] {
            lastPrinted = .now
            defer { waiting = [] }
            return waiting
        }
    }

    private let state = Locked(State())
    private let console: Console

    init(_ console: Console) {
        self.console = console
    }

    func take(_ event: RecorderEvent) {
        switch event {
        case .discarded(let discard): add(discard)
        case .rescued(let rescue):
            let lost = rescue.lost.map { "\(Formatting.records($0)) could not" } ?? "how many could not is not known"
            console.error(
                "the store was damaged and lies at \(rescue.movedTo) now; \(Formatting.records(rescue.rescued)) could be "
                    + "read and are in a new one, \(lost)."
            )
        default: break
        }
    }

    /// Says what has not been said yet.
    func finish() {
        print(state.withLock { $0.takeAll() })
    }

    private func add(_ discard: Discard) {
        let due = state.withLock { state -> [Discard] in
            if let index = state.waiting.firstIndex(where: { $0.reason == discard.reason }) {
                state.waiting[index].count += discard.count
                state.waiting[index].bytes += discard.bytes
                state.waiting[index].streams.formUnion(discard.streams)
            } else {
                state.waiting.append(discard)
            }
            if let last = state.lastPrinted, ContinuousClock.now - last < .seconds(10) { return [] }
            return state.takeAll()
        }
        print(due)
    }

    private func print(_ discards: [Discard]) {
        for discard in discards {
            let streams = discard.streams.map(\.rawValue).sorted().joined(separator: ", ")
            console.error(
                "\(Formatting.records(discard.count)) (\(Formatting.bytes(discard.bytes))) of \(streams) discarded: "
                    + "\(discard.reason.words)."
            )
        }
    }
}

extension Discard.Reason {
    fileprivate var words: String {
        switch self {
        case .byteLimit: "the store is at its limit; raise --limit, or submit more often"
        case .ageLimit: "older than --max-age"
        case .rejected(let code): "the service calls them invalid (\(code))"
        case .retriesExhausted: "too many failures"
        }
    }
}
