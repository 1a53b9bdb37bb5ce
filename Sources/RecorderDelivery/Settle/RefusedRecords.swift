import RecorderAWS
import RecorderStore

/// Decides whether refused requests are the fault of a record or of the stream. Pure.
///
/// A service refuses a whole request because of one invalid record, but also for reasons of the stream (Firehose does so for a
/// stream that Kinesis feeds). Therefore:
///
/// - A record is invalid if it is refused alone, the stream accepts another one, and it is refused alone once more. Instead of
///   the first time it may be refused beside that other one. So one period in which a stream refuses everything makes no record
///   invalid, whenever it begins and ends; two, with an acceptance between them, cannot be told from invalid records. Without
///   another record, one that is refused alone leaves with its fourth refusal.
/// - If two records were refused and none accepted since, another one is sent as a probe before the stream is blamed: the batch's
///   last, or, if the records were too large, its smallest. Otherwise two invalid records at the head of a stream would block it.
/// - A stream that refuses many requests in a row is left, whatever it accepted before.
/// - Only the service's own answer makes a record invalid. A record that a proxy refuses stays.
/// - A record without a partition key is invalid only if the stream accepts another one without: it may need keys.
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
        /// To send it once more; nil if too much memory is taken by others.
        let part: Batch?
        let record: BatchedRecord
        let refusal: ServiceFailure
        /// Whether not every stream accepts a record of this size.
        var mayBeTooLarge = false
    }

    /// The number of refusals after which a record that is alone in its stream is deleted.
    static let maximumRefusals = 4
    /// The number of refused requests in a row after which a stream is left that accepted nothing in this flush, or something.
    static let maximumRequests = (ofNew: 12, ofAccepting: 100)
    /// How much of candidates is in memory, in bytes of requests.
    private static let maximumBytes = 32 * 1_024 * 1_024

    /// Records that the service itself calls invalid, until another one is accepted.
    private(set) var candidates: [Candidate] = []
    /// The size of the smallest record that was too large for a proxy, in bytes of the request.
    private var refusedBytes = Int.max
    /// The size of the largest request that was answered.
    private var passedBytes = 0
    /// How many requests were refused.
    private(set) var refusals = 0
    /// After how many of them a request was sent that accepted a record, or one without a partition key; -1 if none was.
    private var acceptedAfter = (any: -1, withoutKey: -1)
    /// The last of two records that were refused together of which the other one was accepted alone.
    private var acceptedBeside: (refusal: Batch.Refusal, withoutKey: Bool)?
    /// Whether the stream accepts records that are sent without a partition key, as far as it is known.
    private(set) var acceptsMissingKeys = false
    /// What was refused since a record was accepted.
    private var requests = 0
    private var records = 0

    private var streamAccepts: Bool { acceptedAfter.any >= 0 }

    /// Records of a part were delivered. With several requests at once, it may have been sent before others were refused, and
    /// says nothing about these.
    mutating func accepted(_ accepted: some Sequence<BatchedRecord>, of part: Batch) {
        let showsKeys = accepted.contains(where: \.omitsKey)
        acceptedAfter.any = max(acceptedAfter.any, part.sentAfter)
        if showsKeys { acceptedAfter.withoutKey = max(acceptedAfter.withoutKey, part.sentAfter) }
        acceptsMissingKeys = acceptsMissingKeys || showsKeys
        if let refusal = part.refusal { acceptedBeside = (refusal, showsKeys) }
        if part.sentAfter == refusals { (requests, records) = (0, 0) }
    }

    /// Whether a refusal of a part that is one record shows that the record is invalid.
    func isInvalid(_ part: Batch, because refusal: ServiceFailure) -> Bool {
        refusal.provesInvalidInput && isAcceptedSinceRefusal(of: part)
    }

    /// Whether the stream accepted another record since this one was refused; if it has no partition key, another one without.
    private func isAcceptedSinceRefusal(of part: Batch) -> Bool {
        let omitsKey = part.records.contains(where: \.omitsKey)
        switch part.refusal {
        case .alone(let number): return number <= (omitsKey ? acceptedAfter.withoutKey : acceptedAfter.any)
        case .beside:
            guard let acceptedBeside, acceptedBeside.refusal == part.refusal else { return false }
            return acceptedBeside.withoutKey || !omitsKey
        case nil: return false
        }
    }

    /// Removes the candidates that are due to be sent once more.
    mutating func takeCandidatesToSend() -> [Batch] {
        guard !candidates.isEmpty else { return [] }
        let due = candidates.compactMap(\.part).filter(isAcceptedSinceRefusal)
        candidates = candidates.filter { $0.part.map(isAcceptedSinceRefusal) != true }
        return due
    }

    /// Whether records of a batch are candidates.
    func hasCandidates(of range: ClosedRange<RecordID>) -> Bool {
        candidates.contains { range.contains($0.record.id) }
    }

    /// A request of `bytes` bytes was answered record by record.
    mutating func requestPassed(bytes: Int) {
        passedBytes = max(passedBytes, bytes)
    }

    /// A request was refused.
    mutating func requestRefused() {
        requests += 1
        refusals += 1
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

    /// A part that is one record, which was refused, is a candidate.
    mutating func hold(_ part: Batch, because refusal: ServiceFailure, mayBeTooLarge: Bool) {
        assert(refusal.provesInvalidInput, "only the service's own answer confirms a record")
        guard let record = part.records.first else { preconditionFailure("a part has a record") }
        let bytes = candidates.reduce(part.requestBytes) { $0 + ($1.part?.requestBytes ?? 0) }
        var alone = bytes <= Self.maximumBytes ? part.alone(record) : nil
        alone?.refusal = .alone(refusals)
        candidates.append(Candidate(part: alone, record: record, refusal: refusal, mayBeTooLarge: mayBeTooLarge))
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

    /// Whether a refusal can be the fault of the record itself.
    private func isAnswerable(_ candidate: Candidate) -> Bool { acceptsMissingKeys || !candidate.record.omitsKey }

    /// What stays of the candidates as nothing more is sent. The refusals of some count: the only one since the stream accepted a
    /// record, and those that may be too large. After a stream was left, it is not known whether a record is the only one.
    mutating func finish(isLeft: Bool) -> (counted: [Candidate], others: [Candidate]) {
        defer { candidates = [] }
        let isAlone = records == 1 && candidates.count == 1 && !isLeft
        let counts = { [self] (one: Candidate) in (isAlone || one.mayBeTooLarge) && isAnswerable(one) }
        return (candidates.filter(counts), candidates.filter { !counts($0) })
    }
}

extension ServiceFailure {
    /// Whether a proxy, or the service without an error document, called the request too large.
    var isTooLargeForProxy: Bool { status == 413 && !provesInvalidInput }
}
