import RecorderConcurrency
import RecorderStore

/// Reports records that left the store undelivered: at once, then at most every ten seconds, since there may be many.
final class DiscardLog: Sendable {
    private static let interval = Duration.seconds(10)

    private struct State {
        var waiting: [Discard] = []
        /// Whether something was reported within the interval; what waits is reported at its end.
        var isPausing = false
    }

    private let state = Locked(State())
    /// Held while a report is printed, so that the last one is printed when `finish` returns.
    private let printing = Locked(())
    private let console: Console

    init(_ console: Console) {
        self.console = console
    }

    func handle(_ event: RecorderEvent) {
        switch event {
        case .discarded(let discard): add(discard)
        case .rescued(let rescue):
            let lost =
                rescue.lost.map { "\(Formatting.records($0)) could not be read" }
                ?? "how many could not be read is unknown"
            console.error(
                "the store was damaged and was moved to \(rescue.movedTo). \(Formatting.records(rescue.rescued)) could be "
                    + "read and are in a new store; \(lost)."
            )
        default: break
        }
    }

    /// Reports what has not been reported yet.
    func finish() {
        printing.withLock { _ in
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            print(waiting)
        }
    }

    private func add(_ discard: Discard) {
        let isDue = state.withLock { state in
            if let index = state.waiting.firstIndex(where: { $0.reason == discard.reason }) {
                state.waiting[index].count += discard.count
                state.waiting[index].bytes += discard.bytes
                state.waiting[index].streams.formUnion(discard.streams)
                state.waiting[index].message = discard.message ?? state.waiting[index].message
            } else {
                state.waiting.append(discard)
            }
            defer { state.isPausing = true }
            return !state.isPausing
        }
        if isDue { report() }
    }

    /// Reports what waits, and pauses.
    private func report() {
        finish()
        // Printing may take for ever, which the thread of signals must not.
        StopSignal.shared.run(after: Self.interval) {
            if (try? startThread(named: "recorder-discards", timeout: .zero) { self.endPause() }) == nil {
                self.endPause()
            }
        }
    }

    private func endPause() {
        let hasWaiting = state.withLock { state in
            state.isPausing = !state.waiting.isEmpty
            return state.isPausing
        }
        if hasWaiting { report() }
    }

    private func print(_ discards: [Discard]) {
        for discard in discards {
            let streams = discard.streams.map(\.name).sorted().joined(separator: ", ")
            console.error(
                "\(Formatting.records(discard.count)) (\(ByteCount(discard.bytes))) of \(streams) discarded: "
                    + (discard.message.map { "\(discard.reason.words): \($0)" } ?? "\(discard.reason.words).")
            )
        }
    }
}

extension Discard.Reason {
    fileprivate var words: String {
        switch self {
        case .byteLimit: "the store is at its limit; raise --limit, or submit more often"
        case .ageLimit: "older than --max-age"
        case .rejected(let code): "the service rejected them as invalid (\(code))"
        case .retriesExhausted: "too many failures"
        }
    }
}
