/// The result of a flush.
package struct FlushReport: Sendable {
    /// Records that the service accepted.
    package var delivered = 0
    /// The entries of requests in which these were delivered.
    package var entries = 0
    /// Whether nothing was done because another flush was running.
    package var isBusy = false
    /// Records that left undelivered; each was reported as a `Discard`.
    package var discarded = 0
    /// The streams that kept records, with the reason, in the order in which they stopped.
    package var failures: [Failure] = []
    /// The streams with records that were left out, because another flush was sending them or they failed before.
    package var omitted: [StreamName] = []
    /// When the first stream that failed, now or before, is due again; nil if there is none.
    package var nextDue: ContinuousClock.Instant?

    package static let busy: FlushReport = {
        var report = FlushReport()
        report.isBusy = true
        return report
    }()

    package init() {}

    package struct Failure: Sendable {
        package let stream: StreamName
        package let error: RecorderError

        package init(stream: StreamName, error: RecorderError) {
            self.stream = stream
            self.error = error
        }
    }
}

/// The result of importing the database of another library.
package struct Import: Sendable, Hashable {
    package var imported = 0
    /// Records whose stream name no service accepts; they stay in the file, which is renamed to `….imported`.
    package var skipped = 0
}

/// The result of rescuing a damaged store.
package struct Rescue: Sendable, Hashable {
    /// The path of the damaged file now.
    package let movedTo: String
    /// Records that could be read and are in the new store.
    package let rescued: Int
    /// Records that could not be read; nil if the damaged file does not say how many there were.
    package let lost: Int?
}
