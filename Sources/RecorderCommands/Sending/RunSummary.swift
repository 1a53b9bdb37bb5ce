import RecorderConcurrency
import RecorderStore

/// What a run saved and sent. Its encoding is what --json prints at the end.
struct RunSummary: Encodable, Sendable {
    var saved = 0
    /// Records that the service accepted, also those that were stored before the run.
    var delivered = 0
    /// Records that left the store undelivered.
    var discarded = 0
    /// Records that are in the stores at the end; nil if they cannot be read.
    var left: Int?
    /// Records of the input that were too long, or did not fit the command's options.
    var refused = 0
    var durationSeconds = 0.0
}

/// Adds up what a run delivers and discards.
final class DeliveryTally: Sendable {
    private let counts = Locked((delivered: 0, discarded: 0))

    var delivered: Int { counts.withLock { $0.delivered } }
    var discarded: Int { counts.withLock { $0.discarded } }

    func handle(_ event: RecorderEvent) {
        switch event {
        case .answered(let answer): counts.withLock { $0.delivered += answer.delivered }
        case .discarded(let discard): counts.withLock { $0.discarded += discard.count }
        default: break
        }
    }
}
