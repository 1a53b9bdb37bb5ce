import RecorderConcurrency

/// What the flushes of a pipeline have learned for the next one: which streams throttle, so that it does not begin with a large
/// request, what the service said of them, whether it could be reached, and whether answers could be settled.
final class FlushHistory: Sendable {
    let lookups = StreamLookups()
    private let limiters = Locked<[StreamName: StreamRateLimiter]>([:])
    private let unreachable = Locked(false)
    let settles = SettleGuard()

    /// Whether the last flush could not connect.
    var wasUnreachable: Bool {
        get { unreachable.withLock(\.self) }
        set { unreachable.withLock { $0 = newValue } }
    }

    /// A flush's limiter for a stream: as the last flush left it, or a new one.
    func limiter(of stream: StreamName) -> StreamRateLimiter {
        limiters.withLock { $0[stream] } ?? StreamRateLimiter()
    }

    /// Keeps a limiter for the next flush if the stream throttles, and forgets the streams that no longer do.
    func keep(_ limiter: StreamRateLimiter, of stream: StreamName) {
        limiters.withLock { limiters in
            limiters[stream] = limiter
            let now = ContinuousClock.now
            limiters = limiters.filter { $0.value.isPacing(at: now) }
        }
    }
}
