/// Detects a transfer that has stalled or is too slow. Pure: the caller passes the time.
///
/// libcurl's own [low speed limit](https://curl.se/libcurl/c/CURLOPT_LOW_SPEED_LIMIT.html) has a resolution of whole seconds,
/// and wakes its thread every second for each transfer.
package struct ProgressWatch {
    /// What is wrong with a transfer.
    package enum Fault: Equatable {
        /// No bytes moved during the stall time.
        case stalled
        /// Too few bytes moved during the stall time.
        case slow(bytes: Int64)
    }

    private let timeouts: HTTPTimeouts
    private let minimumBytes: Int64
    private var moved: Int64 = 0
    /// What was sent, and the other side has acknowledged while nothing else moved.
    private var acknowledged: Int64 = 0
    /// What it has not, when that was looked at last; nil since something else moved.
    private var waiting: Int64?
    private var lastMove: ContinuousClock.Instant
    private var lastLook: ContinuousClock.Instant
    private var atStart: (moved: Int64, acknowledged: Int64) = (0, 0)
    /// The start of the current interval of one stall time. Bytes are counted for each interval.
    private var start: ContinuousClock.Instant

    /// Watches a transfer that begins now.
    package init(_ timeouts: HTTPTimeouts, now: ContinuousClock.Instant) {
        self.timeouts = timeouts
        lastMove = now
        lastLook = now
        start = now
        let wanted = Double(max(timeouts.minimumBytesPerSecond, 0)) * (timeouts.stall / .seconds(1))
        minimumBytes = Int64(min(max(wanted.rounded(.up), 0), 1e18))
    }

    /// Records the total number of bytes so far, in both directions. `waiting` are those of them that the other side has not
    /// acknowledged; it is only looked at when nothing has moved for a while.
    package mutating func note(_ bytes: Int64, waiting look: @autoclosure () -> Int64 = 0, now: ContinuousClock.Instant)
    {
        if bytes != moved {
            moved = bytes
            lastMove = now
            waiting = nil
        } else if now >= min(nextLook, end) {
            let left = look()
            switch waiting {
            // Since when so many wait is not known: this thread may have come late.
            case nil where left > 0: lastMove = now
            case let before? where left < before:
                acknowledged += before - left
                lastMove = now
            default: break
            }
            waiting = left
            lastLook = now
        }
        if now >= start + timeouts.stall, movedSinceStart >= minimumBytes {
            atStart = (moved, acknowledged)
            start = now
        }
    }

    /// A byte counts once: when it is sent, or when it is acknowledged.
    private var movedSinceStart: Int64 { max(moved - atStart.moved, acknowledged - atStart.acknowledged) }

    private var nextLook: ContinuousClock.Instant { max(lastMove, lastLook) + timeouts.stall / 8 }

    /// When the transfer has a fault unless more bytes have moved.
    private var end: ContinuousClock.Instant { min(lastMove, start) + timeouts.stall }

    /// The time of the next check. Unless more bytes have moved by then, the transfer may have a fault.
    package var deadline: ContinuousClock.Instant {
        waiting == 0 ? end : min(end, nextLook)
    }

    /// The fault, if there is one.
    package func fault(now: ContinuousClock.Instant) -> Fault? {
        if now >= lastMove + timeouts.stall { return .stalled }
        return now >= start + timeouts.stall ? .slow(bytes: movedSinceStart) : nil
    }
}
