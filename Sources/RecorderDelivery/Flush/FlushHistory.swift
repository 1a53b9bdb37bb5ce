import RecorderConcurrency
import RecorderStore

/// What the flushes of a pipeline have learned for the next one: which streams failed and are paused, which throttle, so that it
/// does not begin with a large request, what the service said of them, and whether answers could be settled.
final class FlushHistory: Sendable {
    let lookups = StreamLookups()
    private let limiters = Locked<[StreamName: StreamRateLimiter]>([:])
    /// Changed by the flush that runs.
    let scheduler = Locked(StreamScheduler())
    let settles = SettleGuard()

    /// A flush's limiter for a stream: as the last flush left it, or a new one.
    func limiter(of stream: StreamName) -> StreamRateLimiter {
        limiters.withLock { $0[stream] } ?? StreamRateLimiter()
    }

    /// Keeps a limiter for the next flush if the stream throttles, and forgets the streams that no longer do.
    func keep(_ limiter: StreamRateLimiter, of stream: StreamName, at now: ContinuousClock.Instant) {
        limiters.withLock { limiters in
            limiters[stream] = limiter
            limiters = limiters.filter { $0.value.isPacing(at: now) }
        }
    }
}
