/// Called once for each save, on the store's delivery thread, in the order of the saves.
package typealias SaveCompletion = @Sendable (Result<Void, RecorderError>) -> Void

/// A record in the line, the limits that held when it was saved, and whom to tell.
struct PendingSave: Sendable {
    let record: Record
    let limits: DiskLimits
    let completion: SaveCompletion
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
