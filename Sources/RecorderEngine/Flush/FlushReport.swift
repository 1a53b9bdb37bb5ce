/// What a flush came to.
package struct FlushReport: Sendable {
    /// Records that the service took.
    package var delivered = 0
    /// Whether nothing was done because another flush was under way.
    package var isBusy = false
    /// Records that left undelivered; each was reported as a `Discard`.
    package var discarded = 0
    /// The streams that kept records back, with the reason, in the order in which they stopped.
    package var failures: [Failure] = []

    static let busy = FlushReport(isBusy: true)

    package struct Failure: Sendable {
        package let stream: StreamName
        package let error: RecorderError
    }
}
