package import Foundation

/// The options of a client, checked.
package struct RecordClientSettings: Sendable {
    package let cacheMaxBytes: Int
    package let maxRetries: Int
    /// nil for no automatic flush.
    package let interval: Duration?
    package let flushDrains: Bool
    package let storeDirectory: String?

    /// Longer intervals are as good as this one.
    private static let longestInterval: TimeInterval = 100 * 365 * 24 * 3_600

    package init(
        cacheMaxBytes: Int64,
        maxRetries: Int,
        flushStrategy: FlushStrategy,
        flushDrains: Bool,
        storeDirectory: URL?
    ) throws(RecordClientError) {
        guard cacheMaxBytes >= 0 else {
            throw .option("cacheMaxBytes is \(cacheMaxBytes)", "Pass the bytes that the cache may hold, 0 or more.")
        }
        guard maxRetries >= 0 else {
            throw .option("maxRetries is \(maxRetries)", "Pass how often a record may be tried again, 0 or more.")
        }
        if let storeDirectory, !storeDirectory.isFileURL {
            throw .option("storeDirectory is no file URL", "Pass URL(fileURLWithPath:) of a directory of your own.")
        }
        self.cacheMaxBytes = Int(clamping: cacheMaxBytes)
        self.maxRetries = maxRetries
        self.flushDrains = flushDrains
        self.storeDirectory = storeDirectory?.path
        switch flushStrategy {
        case .none: interval = nil
        case .interval(let seconds):
            guard seconds > 0, seconds.isFinite else {
                throw .option(
                    "the flush interval is \(seconds) seconds",
                    "Pass a number of seconds above 0, or FlushStrategy.none to flush by hand only."
                )
            }
            interval = .seconds(min(seconds, Self.longestInterval))
        }
    }
}
