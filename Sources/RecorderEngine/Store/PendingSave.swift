/// Called once for each save, in the order of the saves.
package typealias SaveCompletion = @Sendable (Result<Void, RecorderError>) -> Void

/// A record in the line, the limits that held when it was saved, and whom to tell.
///
/// A class, because it is handed on several times.
final class PendingSave: Sendable {
    let record: Record
    let limits: DiskLimits
    let completion: SaveCompletion

    init(record: Record, limits: DiskLimits, completion: @escaping SaveCompletion) {
        self.record = record
        self.limits = limits
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
    var discards: [Discard] = []
}
