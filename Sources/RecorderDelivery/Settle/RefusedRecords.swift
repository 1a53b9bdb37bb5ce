import RecorderAWS
import RecorderStore

/// Decides whether refused requests are the fault of a record or of the stream. Pure.
///
/// A service refuses a whole request because of one invalid record, but also for reasons of the stream (Firehose does so for a
/// stream that Kinesis feeds). Therefore:
///
/// - A record is confirmed invalid only if the stream accepts another one after it, in the same flush: what a stream accepted before
///   says nothing once somebody has changed it. If none comes after it, others of its batch do that were accepted after the batch was
///   refused. Without any, a record that is refused alone leaves with its fourth refusal.
/// - If two records were refused and none accepted since, another one is sent as a probe before the stream is blamed: the batch's
///   last, or, if the records were too large, its smallest. Otherwise two invalid records at the head of a stream would block it.
/// - A stream that refuses many requests in a row is left, whatever it accepted before.
/// - Only the service's own answer confirms a record. A record that a proxy refuses stays.
/// - A record without a partition key is confirmed only if the stream accepts another one without: it may need keys.
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
    /// The number of refused requests in a row after which a stream is left that accepted nothing in this flush, or something.
    static let maximumRequests = (ofNew: 12, ofAccepting: 100)

    /// Records that the service itself calls invalid, until that is confirmed.
    private(set) var candidates: [Candidate] = []
    /// Those of which it is, until they are taken.
    private var confirmed: [Candidate] = []
    /// The size of the smallest record that was too large for a proxy, in bytes of the request.
    private var refusedBytes = Int.max
    /// The size of the largest request that was answered.
    private var passedBytes = 0
    private(set) var streamAccepts = false
    /// Whether the stream accepts records that are sent without a partition key, as far as it is known.
    private(set) var acceptsMissingKeys = false
    /// What was refused since a record was accepted.
    private var requests = 0
    private var records = 0
    private var batch = BatchSoFar.notRefused

    /// What the stream did with the current batch.
    private enum BatchSoFar {
        case notRefused, refused
        /// It accepts others than those that it refuses.
        case acceptedInPart
    }

    mutating func batchBegan() {
        batch = .notRefused
    }

    /// Records of the stream were delivered in this flush.
    mutating func accepted(_ accepted: some Sequence<BatchedRecord>) {
        streamAccepts = true
        acceptsMissingKeys = acceptsMissingKeys || accepted.contains(where: \.omitsKey)
        (requests, records) = (0, 0)
        if batch == .refused { batch = .acceptedInPart }
        guard !candidates.isEmpty else { return }
        let showsKeys = accepted.contains(where: \.omitsKey)
        confirmed += candidates.filter { showsKeys || !$0.record.omitsKey }
        candidates.removeAll { showsKeys || !$0.record.omitsKey }
    }

    /// A request of `bytes` bytes was answered record by record.
    mutating func requestPassed(bytes: Int) {
        passedBytes = max(passedBytes, bytes)
    }

    /// A request was refused.
    mutating func requestRefused() {
        requests += 1
        if batch == .notRefused { batch = .refused }
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
        // One may be invalid; several show that the stream no longer accepts such records.
        if candidates.count(where: \.record.omitsKey) > 1 { acceptsMissingKeys = false }
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
        guard !isAtRequestLimit else { return .leaveStream }
        return switch records {
        case ..<2: .continueBatch
        case 2: .probe
        default: streamAccepts || refusal.isTooLargeForProxy || mayBeTooLarge ? .probe : .leaveStream
        }
    }

    /// The size at and above which a record is too large for a proxy; nil if that is not known. One refusal says nothing about
    /// records of the same size, and none says anything if larger requests were answered.
    var tooLargeBytes: Int? {
        guard refusedBytes < .max, refusedBytes > passedBytes else { return nil }
        return streamAccepts || records > 2 ? refusedBytes : refusedBytes + 1
    }

    /// Whether the stream refused as many requests in a row as are sent.
    var isAtRequestLimit: Bool {
        requests >= (streamAccepts ? Self.maximumRequests.ofAccepting : Self.maximumRequests.ofNew)
    }

    /// The records that are now confirmed invalid; each is returned once.
    mutating func confirmInvalid() -> [Candidate] {
        defer { confirmed = [] }
        return confirmed
    }

    /// Whether a refusal can be the fault of the record itself.
    private func isAnswerable(_ candidate: Candidate) -> Bool { acceptsMissingKeys || !candidate.record.omitsKey }

    /// What becomes of the candidates as nothing more is sent.
    enum Rest {
        case confirmed([Candidate])
        /// The refusals of some count: the only one since the stream accepted a record, and those that may be too large.
        case stays(counted: [Candidate], others: [Candidate])
    }

    /// After a stream was left, it is not known whether a record is the only one.
    mutating func finish(isLeft: Bool) -> Rest {
        defer { candidates = [] }
        if !isLeft, batch == .acceptedInPart, records <= 2, candidates.allSatisfy(isAnswerable) {
            return .confirmed(candidates)
        }
        let isAlone = records == 1 && candidates.count == 1 && !isLeft
        let counts = { [self] (one: Candidate) in (isAlone || one.mayBeTooLarge) && isAnswerable(one) }
        return .stays(counted: candidates.filter(counts), others: candidates.filter { !counts($0) })
    }
}

extension ServiceFailure {
    /// Whether a proxy, or the service without an error document, called the request too large.
    var isTooLargeForProxy: Bool { status == 413 && !provesInvalidInput }
}
