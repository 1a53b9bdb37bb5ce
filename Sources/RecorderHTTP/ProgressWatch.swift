/// Notices a transfer that stands still, or all but stands still. Pure: the time is given.
///
/// libcurl's own [low speed limit](https://curl.se/libcurl/c/CURLOPT_LOW_SPEED_LIMIT.html) counts in whole seconds and
/// bytes a second, and wakes its thread every second for each transfer.
package struct ProgressWatch {
    /// What is wrong with a transfer that is overdue.
    package enum Fault: Equatable {
        /// No byte moved for the whole stall time.
        case stalled
        /// So many bytes moved during the stall time; too few.
        case slow(bytes: Int64)
    }

    private let timeouts: HTTPTimeouts
    private let minimumBytes: Int64
    private var moved: Int64 = 0
    private var lastMove: ContinuousClock.Instant
    private var movedAtStart: Int64 = 0
    /// One stall time follows the other; the bytes of each are counted by themselves.
    private var start: ContinuousClock.Instant

    /// A watch over a transfer that begins now.
    package init(_ timeouts: HTTPTimeouts, now: ContinuousClock.Instant) {
        self.timeouts = timeouts
        lastMove = now
        start = now
        let wanted = Double(max(timeouts.minimumBytesPerSecond, 0)) * (timeouts.stall / .seconds(1))
        minimumBytes = Int64(min(max(wanted.rounded(.up), 0), 1e18))
    }

    /// Takes note of how many bytes have moved in all, in both directions.
    package mutating func note(_ bytes: Int64, now: ContinuousClock.Instant) {
        if bytes != moved {
            moved = bytes
            lastMove = now
        }
        if now >= start + timeouts.stall, bytes - movedAtStart >= minimumBytes {
            movedAtStart = bytes
            start = now
        }
    }

    /// When to look again: the transfer is overdue then, unless bytes have moved.
    package var deadline: ContinuousClock.Instant { min(lastMove, start) + timeouts.stall }

    /// What is wrong, if anything is.
    package func fault(now: ContinuousClock.Instant) -> Fault? {
        if now >= lastMove + timeouts.stall { return .stalled }
        return now >= start + timeouts.stall ? .slow(bytes: moved - movedAtStart) : nil
    }
}
