import Foundation
import RecorderAWS
import RecorderDelivery
package import RecorderStore

/// What the validated options of a client say.
package struct RecordClientSettings: Sendable {
    package let policy: RecorderPolicy
    /// nil for no automatic flush.
    package let interval: Duration?
    package let storeDirectory: String?

    /// Longer intervals are shortened to this one.
    private static let longestInterval: TimeInterval = 100 * 365 * 24 * 3_600

    package init<Configuration>(
        _ options: RecordClientOptions<Configuration>,
        for service: StreamServiceDescription
    ) throws(RecordClientError) {
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
        storeDirectory = options.storeDirectory?.path
        var policy = RecorderPolicy.amplify(
            service,
            cacheBytes: Int(clamping: options.cacheMaxBytes),
            maxRetries: options.maxRetries
        )
        policy.requestFormat = options.sendsCBOR ? .cbor : .json
        // Only a call without a key makes a record without one.
        policy.keylessRecords = .withoutKeys
        if options.flushDrains { policy.batchesPerStream = nil }
        policy.keepsOrder = options.sendsInOrder
        policy.assumesDistributionByKey = options.assumesByKey
        policy.sharedEntryBytes = try Self.sharedEntryBytes(options, service)
        if options.endsLines { policy.delimiter = UInt8(ascii: "\n") }
        self.policy = policy
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

    /// The size of an entry that several records share; nil if none is shared.
    private static func sharedEntryBytes<Configuration>(
        _ options: RecordClientOptions<Configuration>,
        _ service: StreamServiceDescription
    ) throws(RecordClientError) -> Int? {
        let limits = SharedEntryLimits.of(service)
        let bytes = options.sharedEntryBytes ?? limits.standard
        guard limits.range.contains(bytes) else {
            throw .option(
                "\(service.sendsPartitionKey ? "aggregatedEntryBytes" : "packedRecordBytes") is \(bytes)",
                suggestion: "Pass a number of bytes from \(limits.range.lowerBound) to \(limits.range.upperBound)."
            )
        }
        guard options.sharesEntries else { return nil }
        // Records are joined where one ends with a newline, so that none is where no option appends it.
        guard service.sendsPartitionKey || options.endsLines else {
            throw .option(
                "packsRecords joins records at their newlines, but appendsNewline is false",
                suggestion: "Pass appendsNewline: true, or packsRecords: false."
            )
        }
        return bytes
    }
}
