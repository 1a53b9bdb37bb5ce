public import Foundation
import RecorderStore

/// What one submit did, for metrics.
public struct AWSSubmitMetrics: Sendable {
    /// Records that the service accepted in this submit.
    public let recordsSent: Int
    /// Entries of requests in which these were sent: what the service counts and bills as records.
    public let entriesSent: Int
    /// Records that left undelivered, each reported by `AWSRecorderDidDiscardRecords`.
    public let recordsDiscarded: Int
    /// From the call to its end, in seconds. Includes waiting for a submit that was already running.
    public let duration: TimeInterval
    /// The error of the submit's task; nil if it succeeded. A submit that was cancelled has no metrics.
    public let error: NSError?
    /// The recorder's counts after the submit; nil if the store cannot be read.
    public let statistics: AWSRecorderStatistics?
}

extension AWSAbstractKinesisRecorder {
    /// Called with what a submit did, after the task of `submitAllRecords` or `submit` has completed; nil by default.
    ///
    /// Called once for each call of these that was not cancelled, on a background thread. Calls that share a submit each have its
    /// counts. Calls of the handler do not overlap: while it runs, at most 16 wait for it, of which the oldest is dropped for a new
    /// one. With the trait `SwiftMetrics`, `sendMetrics(dimensions:)` does the rest.
    public var metricsHandler: (@Sendable (AWSSubmitMetrics) -> Void)? {
        get { sender.metricsHandler }
        set { sender.metricsHandler = newValue }
    }

    /// Tells the handler of a submit that was called at `start`.
    func reportMetrics(
        of report: FlushReport?,
        _ outcome: Result<Void, NSError>,
        since start: ContinuousClock.Instant
    ) {
        guard sender.wantsMetrics else { return }
        var error: NSError?
        if case .failure(let failure) = outcome { error = failure }
        let metrics = AWSSubmitMetrics(
            recordsSent: report?.delivered ?? 0,
            entriesSent: report?.entries ?? 0,
            recordsDiscarded: report?.discarded ?? 0,
            duration: (.now - start) / .seconds(1),
            error: error,
            statistics: statistics
        )
        sender.deliver(metrics)
    }
}
