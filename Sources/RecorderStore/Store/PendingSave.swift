import RecorderConcurrency

/// Called once for each save, of one record or of a group, in the order of the saves, except for saves that fail before they
/// are stored.
package typealias SaveCompletion = @Sendable (Result<Void, RecorderError>) -> Void

/// A save that is not on disk yet.
///
/// A class, because it is passed on several times.
package final class PendingSave: Sendable {
    let records: SavedRecords
    let count: Int
    /// What they count for in the store, in bytes.
    let storedBytes: Int
    /// The limits at the time of the save.
    let limits: DiskLimits
    /// When it stops waiting for room in the queue and for other processes.
    let deadline: ContinuousClock.Instant
    /// What the queue may hold, including this save, in bytes.
    let queueLimit: Int
    /// Set if the save is stored only if earlier ones of the sequence were.
    let sequence: SaveSequence?
    /// Changes of the positions of files, stored if the records are.
    let filePositions: FilePositionChanges?
    let completion: SaveCompletion

    package init(
        _ records: SavedRecords,
        policy: RecorderPolicy,
        sequence: SaveSequence?,
        filePositions: FilePositionChanges? = nil,
        completion: @escaping SaveCompletion
    ) {
        self.records = records
        count = records.count
        storedBytes = records.storedBytes
        limits = policy.limits
        deadline = SystemTime.now + policy.saveTimeout
        queueLimit = policy.saveQueueBytes
        self.sequence = sequence
        self.filePositions = filePositions
        self.completion = completion
    }
}

/// Saves that depend on each other in order: once one has failed, none that was called after it is stored.
///
/// So the stored part of an input is always its beginning, whichever commit fails. A save after the failure gets the same
/// error, in order.
package final class SaveSequence: Sendable {
    private let state = Locked<RecorderError?>(nil)

    package init() {}

    /// The first failure.
    var failure: RecorderError? { state.withLock { $0 } }

    package func fail(_ error: RecorderError) {
        state.withLock { $0 = $0 ?? error }
    }
}
