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
    /// For each save the usage to report, where it is above the threshold.
    var crossings: [Int?] = []
    var discards: [Discard] = []
}
