/// What `clearCache` came to.
public struct ClearCacheData: Sendable {
    /// Records that were deleted unsent.
    public let recordsCleared: Int

    /// A result.
    public init(recordsCleared: Int) {
        self.recordsCleared = recordsCleared
    }
}
