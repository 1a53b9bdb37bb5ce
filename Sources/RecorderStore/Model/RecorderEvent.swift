package import RecorderAWS

/// What the engine reports besides the result of each call.
///
/// Delivered like completions: in order, while no lock is held, and never on a thread that a commit waits for.
package enum RecorderEvent: Sendable {
    /// A save found the store above `notificationByteThreshold`; `usage`, in bytes, includes that save, before any eviction.
    case byteThresholdReached(usage: Int)
    /// Records left the store without being delivered.
    case discarded(Discard)
    /// A flush settled some records.
    case settled(FlushProgress)
    /// The service answered for some records of a stream.
    case answered(ServiceAnswer)
    /// The store was damaged; the records that could be read are in a new one.
    case rescued(Rescue)
}

/// What the service answered for some records of one stream. Records that it rejected are in a `Discard`.
package struct ServiceAnswer: Sendable {
    package let stream: StreamName
    /// Records that the service accepted.
    package let delivered: Int
    /// Records that failed and stay in the store.
    package let retried: Int
    /// Records for which the service had no capacity.
    package let throttled: Int
    /// Why they failed.
    package let failure: ServiceFailure?

    package init(stream: StreamName, delivered: Int, retried: Int, throttled: Int, failure: ServiceFailure?) {
        self.stream = stream
        self.delivered = delivered
        self.retried = retried
        self.throttled = throttled
        self.failure = failure
    }
}

/// The progress of a flush.
package struct FlushProgress: Sendable, Hashable {
    /// Records delivered so far.
    package var delivered = 0
    /// The entries of requests in which these were delivered.
    package var entries = 0
    /// What they took in the store, in bytes.
    package var bytes = 0
    /// Records in the store now, including those saved since the flush began.
    package var recordsLeft = 0
    /// What those take, in bytes.
    package var bytesLeft = 0
    /// Time since the flush began.
    package var elapsed = Duration.zero

    package init() {}
}

/// Records that left the store undelivered for one reason.
package struct Discard: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// `diskByteLimit`: the oldest records were evicted.
        case byteLimit
        /// `diskAgeLimit`: the records were too old.
        case ageLimit
        /// The service called the record invalid.
        case rejected(code: String)
        /// The record failed more often than the retry limit allows.
        case retriesExhausted
    }

    package let reason: Reason
    package var count: Int
    package var bytes: Int
    package var streams: Set<StreamName>
    /// What the service said of a rejected record.
    package var message: String?

    package init(reason: Reason, count: Int, bytes: Int, streams: Set<StreamName>) {
        (self.reason, self.count, self.bytes, self.streams) = (reason, count, bytes, streams)
    }
}

extension [Discard] {
    /// Adds records to the discard with the same reason.
    mutating func add(count: Int, bytes: Int, stream: StreamName, reason: Discard.Reason) {
        if count > 0 { add(Discard(reason: reason, count: count, bytes: bytes, streams: [stream])) }
    }

    package mutating func add(_ discard: Discard) {
        guard let index = firstIndex(where: { $0.reason == discard.reason }) else { return append(discard) }
        self[index].count += discard.count
        self[index].bytes += discard.bytes
        self[index].streams.formUnion(discard.streams)
        self[index].message = discard.message ?? self[index].message
    }
}
