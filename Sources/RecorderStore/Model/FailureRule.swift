package import RecorderAWS
import RecorderHTTP

/// What a failure means for a record, and for the flush. The recorders and the clients of Amplify document different rules: the two
/// types below. Nothing else tells the two families apart.
///
/// | a record | `RetriesInFlush` | `CountsAttempts` |
/// |---|---|---|
/// | `failed` | fails once more if there is a limit on that, or stays | fails once more |
/// | `rejected` | leaves | fails once more |
/// | both, if what stays is sent again at once in other entries | the same | stays |
/// | `invalid` | leaves | fails once more if the service itself refused it, or stays |
/// | `refused` as invalid by the service itself | is undecided | fails once more |
/// | `refused` otherwise, as by a proxy | stays, and the flush reports that | the same, or fails once more if the service refused it |
/// | `unanswered` | is undecided | fails once more if the service itself failed the request, or stays |
package protocol FailureRule: Sendable {
    /// Whether transient failures are retried within a flush.
    var retriesInFlush: Bool { get }
    /// What becomes of a record. `isLimited` says whether it is discarded after a number of failures, `isSentAgain` whether its
    /// request will be sent again at once, in other entries.
    func fate(of record: RecordFailure, because failure: ServiceFailure, isLimited: Bool, isSentAgain: Bool)
        -> RecordFate
    /// The failure of a request that was answered in a way that says nothing about any record.
    func unreadable(_ text: String) -> ServiceFailure
    /// Whether an attempt that ended with these failures ends the flush: nothing more is sent to any stream.
    func endsFlush(after failures: [FlushReport.Failure]) -> Bool
}

/// How a record failed.
package enum RecordFailure: Sendable {
    /// The answer has an error for its entry.
    case failed
    /// The answer calls it invalid.
    case rejected
    /// It was refused in a request of its own, and is larger than its stream accepts, or invalid in another way.
    case invalid
    /// It was refused in a request of its own.
    case refused
    /// Its stream is left before it was answered for.
    case unanswered
}

/// What becomes of a record that failed.
package enum RecordFate: Sendable {
    case stays
    /// It stays, and the flush reports why.
    case staysReported
    /// It stays with one failure more, or leaves if these were too many.
    case failsOnceMore
    /// It leaves, as rejected.
    case leaves
    /// Nothing is settled yet: its stream has to accept another record first, or it was never answered for.
    case undecided
}

/// Transient failures are retried within the flush. A record is deleted if its entry in the answer calls it invalid, or if a
/// refused request does, twice, and the stream accepts another record between. One stream's failure does not affect the others.
package struct RetriesInFlush: FailureRule {
    package init() {}

    package var retriesInFlush: Bool { true }

    package func fate(
        of record: RecordFailure,
        because failure: ServiceFailure,
        isLimited: Bool,
        isSentAgain: Bool
    ) -> RecordFate {
        switch record {
        case .failed: isLimited ? .failsOnceMore : .stays
        case .rejected, .invalid: .leaves
        case .refused: failure.provesInvalidInput ? .undecided : .staysReported
        case .unanswered: .undecided
        }
    }

    /// The same as without an answer.
    package func unreadable(_ text: String) -> ServiceFailure {
        ServiceFailure(.transport(HTTPFailure(.unreadableResponse, text)), message: text)
    }

    package func endsFlush(after failures: [FlushReport.Failure]) -> Bool { false }
}

/// A flush tries each record once, and every answer but success counts as one failure of the record, including refused requests.
/// Failures without an answer (network, credentials, storage) do not count, and end the flush after the streams that have started.
package struct CountsAttempts: FailureRule {
    package init() {}

    package var retriesInFlush: Bool { false }

    /// A proxy's answer says nothing about a record, and after an answer without proof it may have been accepted.
    package func fate(
        of record: RecordFailure,
        because failure: ServiceFailure,
        isLimited: Bool,
        isSentAgain: Bool
    ) -> RecordFate {
        switch record {
        case .failed, .rejected: isSentAgain ? .stays : .failsOnceMore
        case .invalid, .refused, .unanswered:
            if failure.isOfService, failure.kind != .unreadable {
                .failsOnceMore
            } else {
                record == .refused ? .staysReported : .stays
            }
        }
    }

    package func unreadable(_ text: String) -> ServiceFailure { ServiceFailure(.unreadable, message: text) }

    package func endsFlush(after failures: [FlushReport.Failure]) -> Bool { !failures.allSatisfy(\.error.isAnswer) }
}
