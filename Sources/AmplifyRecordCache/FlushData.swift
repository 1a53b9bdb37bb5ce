/// What `flush` came to.
public struct FlushData: Sendable {
    /// Records that the service took in this flush.
    public let recordsFlushed: Int

    /// Whether nothing was done, because another flush of these records was under way: of this client, or of another
    /// one of the same region, in this process or another.
    public let flushInProgress: Bool

    /// A result.
    public init(recordsFlushed: Int, flushInProgress: Bool = false) {
        self.recordsFlushed = recordsFlushed
        self.flushInProgress = flushInProgress
    }
}
