import RecorderAWS
import RecorderStore

/// Decides whether refused requests are the fault of a record or of the stream. Pure.
///
/// A service refuses a whole request because of one invalid record, but also for reasons of the stream (Firehose does so for a
/// stream that Kinesis feeds). Therefore:
///
/// - A record is confirmed invalid only if the stream accepted another record in the same flush.
/// - If two records were refused and none accepted, another one is sent as a probe before the stream is blamed: the batch's last,
///   or, if the records were too large, its smallest. Otherwise two invalid records at the head of a stream would block it.
/// - Only the service's own answer confirms a record. A record that a proxy refuses stays.
/// - A record without a partition key is confirmed only if the stream accepted another one without: it may need keys.
struct RefusedRecords {
    /// What the refusals so far mean.
    enum Decision {
        /// The records are at fault, or that is not known yet.
        case continueBatch
        /// Another record is needed to decide.
        case probe
        /// The stream is at fault.
        case leaveStream
    }

    /// A record that may be invalid.
    struct Candidate {
        let record: BatchedRecord
        let refusal: ServiceFailure
        /// Whether not every stream accepts a record of this size.
        var mayBeTooLarge = false

        /// How it leaves once it is confirmed invalid.
        var departure: StoreLedger.Departure { RefusedRecords.departure(after: refusal) }
    }

    /// The number of refusals after which a record that is alone in its stream is deleted.
    static let maximumRefusals = 4
    /// The number of refused requests after which a stream that accepted nothing is left.
    static let maximumRequests = 12

    /// Records that the service itself calls invalid, until that is confirmed.
    private(set) var candidates: [Candidate] = []
    /// The size of the smallest record that was too large for a proxy, in bytes of the request.
    private var refusedBytes = Int.max
    /// The size of the largest request that was answered.
    private var passedBytes = 0
    private(set) var streamAccepts = false
    /// Whether the stream accepted a record that was sent without a partition key.
    private(set) var acceptsMissingKeys = false
    private var requests = 0
    private var records = 0

    /// Records of the stream were delivered in this flush.
    mutating func accepted(_ records: some Sequence<BatchedRecord>) {
        streamAccepts = true
        acceptsMissingKeys = acceptsMissingKeys || records.contains(where: \.omitsKey)
    }

    /// A request of `bytes` bytes was answered record by record.
    mutating func requestPassed(bytes: Int) {
        passedBytes = max(passedBytes, bytes)
    }

    /// A request was refused.
    mutating func requestRefused() {
        requests += 1
    }

    /// The last refusal is the fault of a record, and says nothing about the stream.
    mutating func refusalExplained() {
        requests = 0
    }

    /// A record was refused in a request of its own, in which it takes so many bytes.
    mutating func recordRefused(_ refusal: ServiceFailure, bytes: Int) {
        if refusal.isTooLargeForProxy { refusedBytes = min(refusedBytes, bytes) }
        records += 1
    }

    /// A refused record is a candidate.
    mutating func hold(_ record: BatchedRecord, because refusal: ServiceFailure, mayBeTooLarge: Bool) {
        assert(refusal.provesInvalidInput, "only the service's own answer confirms a record")
        candidates.append(Candidate(record: record, refusal: refusal, mayBeTooLarge: mayBeTooLarge))
    }

    /// How a record leaves that the service has refused.
    static func departure(after refusal: ServiceFailure) -> StoreLedger.Departure {
        .discarded(.rejected(code: refusal.code ?? "InvalidRequest"))
    }

    /// The decision after a record was refused in a request of its own.
    ///
    /// If its size is the reason, a refusal concerns all larger records and no smaller ones, so only the number of requests
    /// limits the probes.
    func decision(after refusal: ServiceFailure, mayBeTooLarge: Bool) -> Decision {
        guard !streamAccepts else { return .continueBatch }
        guard !isAtRequestLimit else { return .leaveStream }
        return switch records {
        case ..<2: .continueBatch
        case 2: .probe
        default: refusal.isTooLargeForProxy || mayBeTooLarge ? .probe : .leaveStream
        }
    }

    /// The size at and above which a record is too large for a proxy; nil if that is not known. One refusal says nothing about
    /// records of the same size, and none says anything if larger requests were answered.
    var tooLargeBytes: Int? {
        guard refusedBytes < .max, refusedBytes > passedBytes else { return nil }
        return streamAccepts || records > 2 ? refusedBytes : refusedBytes + 1
    }

    /// Whether the stream accepted nothing and refused as many requests as are sent.
    var isAtRequestLimit: Bool { !streamAccepts && requests >= Self.maximumRequests }

    /// The records that are now confirmed invalid; each is returned once.
    mutating func confirmInvalid() -> [Candidate] {
        guard streamAccepts else { return [] }
        defer { candidates.removeAll(where: isAnswerable) }
        return candidates.filter(isAnswerable)
    }

    /// Whether a refusal can be the fault of the record itself.
    private func isAnswerable(_ candidate: Candidate) -> Bool { acceptsMissingKeys || !candidate.record.omitsKey }

    /// The candidates whose refusals count: the only record of the stream that was answered, and those that may be too large.
    /// After a stream was left, it is not known whether a record is the only one.
    func countedCandidates(isLeft: Bool) -> [Candidate] {
        (records == 1 && !isLeft ? candidates : candidates.filter(\.mayBeTooLarge)).filter(isAnswerable)
    }
}

extension ServiceFailure {
    /// Whether a proxy, or the service without an error document, called the request too large.
    var isTooLargeForProxy: Bool { status == 413 && !provesInvalidInput }
}
