package import RecorderAWS

/// What the engine reports beside the result of each call.
///
/// Delivered like completions: in order, under no lock and on no thread that a commit waits for (see `CallbackQueue`).
package enum RecorderEvent: Sendable {
    /// A save found the store above `notificationByteThreshold`; `usage` counts that save, before any eviction.
    case byteThresholdReached(usage: Int)
    /// Records left the store without being delivered.
    case discarded(Discard)
    /// A flush settled some records.
    case settled(FlushProgress)
    /// The service answered for some records of a stream.
    case answered(ServiceAnswer)
    /// The store was damaged: what could be read of it is in a new one.
    case rescued(Rescue)
}

/// What the service answered for some records of one stream. Those it discarded are in a `Discard`.
package struct ServiceAnswer: Sendable {
    package let stream: StreamName
    /// Records that the service took.
    package let delivered: Int
    /// Records that failed and stay, to be tried again.
    package let retried: Int
    /// Why they failed.
    package let failure: ServiceFailure?
}

/// How far a flush has come.
package struct FlushProgress: Sendable, Hashable {
    /// Records delivered since it began.
    package var delivered = 0
    /// What they took in the store, in bytes.
    package var bytes = 0
    /// Records still stored, those saved meanwhile included.
    package var recordsLeft = 0
    /// What those take, in bytes.
    package var bytesLeft = 0
    /// Time since it began.
    package var elapsed = Duration.zero
}

/// A report of records that a limit, a rule or the service removed.
package struct Discard: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// `diskByteLimit`: the oldest made room.
        case byteLimit
        /// `diskAgeLimit`: too old.
        case ageLimit
        /// The service called the record invalid.
        case rejected(code: String)
        /// More failures than the retry rule allows.
        case retriesExhausted
    }

    package let reason: Reason
    package var count: Int
    package var bytes: Int
    package var streams: Set<StreamName>
}
