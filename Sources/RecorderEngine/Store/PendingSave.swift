/// Called once for each save, in the order of the saves.
package typealias SaveCompletion = @Sendable (Result<Void, RecorderError>) -> Void

/// A record in the line, the limits that held when it was saved, and whom to tell.
///
/// A class, because it is handed on several times.
final class PendingSave: Sendable {
    let record: Record
    let limits: DiskLimits
    /// How long it waits for room in the queue, and for other processes.
    let deadline: ContinuousClock.Instant
    /// What the queue may hold with it, in bytes.
    let queueLimit: Int
    /// Where the save is stored only if those before it were.
    let sequence: SaveSequence?
    let completion: SaveCompletion

    init(
        record: Record,
        limits: DiskLimits,
        deadline: ContinuousClock.Instant,
        queueLimit: Int,
        sequence: SaveSequence? = nil,
        completion: @escaping SaveCompletion
    ) {
        self.record = record
        self.limits = limits
        self.deadline = deadline
        self.queueLimit = queueLimit
        self.sequence = sequence
        self.completion = completion
    }
}

/// What storing a group of saves came to.
struct AppendReceipt: Sendable {
    enum Answer {
        /// It is stored; the usage to report, where it is above the threshold.
        case stored(usage: Int?)
        case refused(RecorderError)
    }

    /// One for each save.
    var answers: [Answer] = []
    var discarded = LimitReceipt()
}
