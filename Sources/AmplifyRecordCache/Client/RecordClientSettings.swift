import Foundation

/// The validated options of a client, without those that only the façade needs.
package struct RecordClientSettings: Sendable {
    package let cacheMaxBytes: Int
    package let maxRetries: Int
    /// nil for no automatic flush.
    package let interval: Duration?
    package let flushDrains: Bool
    package let storeDirectory: String?
    package let sendsCBOR: Bool

    /// Longer intervals are shortened to this one.
    private static let longestInterval: TimeInterval = 100 * 365 * 24 * 3_600

    package init<Configuration>(_ options: RecordClientOptions<Configuration>) throws(RecordClientError) {
        guard options.cacheMaxBytes >= 0 else {
            throw .option(
                "cacheMaxBytes is \(options.cacheMaxBytes)",
                suggestion: "Pass the maximum size of the cache in bytes, 0 or more."
            )
        }
        guard options.maxRetries >= 0 else {
            throw .option(
                "maxRetries is \(options.maxRetries)",
                suggestion: "Pass the maximum number of retries, 0 or more."
            )
        }
        if let storeDirectory = options.storeDirectory, !storeDirectory.isFileURL {
            throw .option(
                "storeDirectory is not a file URL",
                suggestion: "Pass URL(fileURLWithPath:) of a directory of your own."
            )
        }
        cacheMaxBytes = Int(clamping: options.cacheMaxBytes)
        maxRetries = options.maxRetries
        flushDrains = options.flushDrains
        storeDirectory = options.storeDirectory?.path
        sendsCBOR = options.sendsCBOR
        switch options.flushStrategy {
        case .none: interval = nil
        case .interval(let seconds):
            guard seconds > 0, seconds.isFinite else {
                throw .option(
                    "the flush interval is \(seconds) seconds",
                    suggestion: "Pass a number of seconds above 0, or FlushStrategy.none to disable automatic flushes."
                )
            }
            interval = .seconds(min(seconds, Self.longestInterval))
        }
    }
}
