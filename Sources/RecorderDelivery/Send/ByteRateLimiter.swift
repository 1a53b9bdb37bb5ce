import RecorderConcurrency
import RecorderStore

/// Spreads requests so that their bodies take no more than so many bytes a second on average. Shared by all flushes of a store, and
/// by their streams.
///
/// The first request is sent at once; each later one waits until those before would have been sent at that rate. Time in which
/// nothing is sent does not count for later requests, so that a metered link gets no burst.
final class ByteRateLimiter: Sendable {
    /// When everything sent so far would have been sent at the rate.
    private let nextFree = Locked<ContinuousClock.Instant?>(nil)

    /// Batches below this size would cost more for their headers than they gain in smoothness.
    static let smallestBatch = 16 * 1_024

    /// The delay before a request of so many bytes, which counts as sent after it.
    func delay(before bytes: Int, bytesPerSecond: Int, at now: ContinuousClock.Instant) -> Duration {
        nextFree.withLock { next in
            let start = max(next ?? now, now)
            next = start + Self.time(for: bytes, bytesPerSecond)
            return start - now
        }
    }

    /// Takes back what `delay` counted: the request was not sent.
    func release(_ bytes: Int, bytesPerSecond: Int) {
        nextFree.withLock { $0 = $0.map { $0 - Self.time(for: bytes, bytesPerSecond) } }
    }

    /// Counts bytes that were sent without a delay.
    func count(_ bytes: Int, bytesPerSecond: Int, at now: ContinuousClock.Instant) {
        nextFree.withLock { $0 = max($0 ?? now, now) + Self.time(for: bytes, bytesPerSecond) }
    }

    private static func time(for bytes: Int, _ bytesPerSecond: Int) -> Duration {
        .seconds(Double(bytes) / Double(max(bytesPerSecond, 1)))
    }
}

extension RecorderPolicy {
    /// The largest batch that a limited rate allows: a request takes about a second, or is small.
    var pacedBatchByteLimit: Int {
        guard let maximumBytesPerSecond else { return batchByteLimit }
        // A request in JSON is at least a third larger than its payloads.
        return min(batchByteLimit, max(maximumBytesPerSecond / 2, ByteRateLimiter.smallestBatch, sharedEntryBytes ?? 0))
    }
}
