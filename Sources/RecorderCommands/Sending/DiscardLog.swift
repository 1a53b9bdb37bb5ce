import RecorderConcurrency
import RecorderEngine
import RecorderStore

/// Reports records that left the store undelivered, and a store that was damaged.
final class DiscardLog: Sendable {
    private let discards: DiscardReports
    private let console: Console

    init(_ console: Console) {
        self.console = console
        discards = DiscardReports(
            wait: { duration, action in
                // Printing may take for ever, which the thread of signals must not.
                StopSignal.shared.run(after: duration) {
                    if (try? startThread(named: "recorder-discards", timeout: .zero, action)) == nil { action() }
                }
            },
            report: { discard in
                let streams = discard.streams.map(\.name).sorted().joined(separator: ", ")
                console.error(
                    "\(Formatting.records(discard.count)) (\(ByteCount(discard.bytes))) of \(streams) discarded: "
                        + (discard.message.map { "\(discard.reason.words): \($0)" } ?? "\(discard.reason.words).")
                )
            }
        )
    }

    func handle(_ event: RecorderEvent) {
        switch event {
        case .discarded(let discard): discards.add(discard)
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

    /// Reports the discards that have not been reported yet.
    func finish() { discards.finish() }
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
