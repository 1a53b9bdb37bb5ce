import RecorderAWS

/// Judges refused requests: is a record wrong, or the stream? Pure.
///
/// A service refuses a whole request for one bad record, but also for reasons of the stream (Firehose does so for a
/// stream that Kinesis feeds). Only when the stream took another record in the same flush is a refused one convicted.
/// Two refused with none taken: another record, the one least like them, is asked before the stream is blamed, or two bad
/// records at the head of a stream would hold it up for ever. A record is convicted by the service's own words alone:
/// what a proxy refuses stays.
struct RefusedRecords {
    /// Who is to blame for the refusals so far.
    enum Verdict {
        /// The records, or nobody yet.
        case record
        /// That depends on what happens to another record.
        case askAnother
        case stream
    }

    struct Suspect {
        let record: BatchedRecord
        let refusal: ServiceFailure

        var code: String { refusal.code ?? "InvalidRequest" }
    }

    /// Refusals after which a record that is alone in its stream is given up.
    static let maximumRefusals = 4
    /// Refused requests after which a stream that took nothing is left.
    static let maximumRequests = 12

    /// Records that the service itself calls invalid.
    private(set) var undecided: [Suspect] = []
    /// What the smallest record takes that was too large for a proxy, in bytes of the request.
    private var refusedBytes = Int.max
    /// The largest request that came through.
    private var passedBytes = 0
    private var streamTakes = false
    private var requests = 0
    private var records = 0

    /// A record of the stream was delivered in this flush.
    mutating func streamTakesRecords() {
        streamTakes = true
    }

    /// A request of so many bytes was answered record by record.
    mutating func requestPassed(bytes: Int) {
        passedBytes = max(passedBytes, bytes)
    }

    /// Counts a refused request.
    mutating func countRequest() {
        requests += 1
    }

    /// Adds a record that was refused alone.
    mutating func add(_ record: BatchedRecord, _ refusal: ServiceFailure) {
        if refusal.provesInvalidInput {
            undecided.append(Suspect(record: record, refusal: refusal))
        } else if refusal.isTooLargeForProxy {
            refusedBytes = min(refusedBytes, record.entry.count)
        }
        records += 1
    }

    /// The verdict after a record was refused alone for this reason.
    ///
    /// Where size is the reason, each refusal says something about all larger records and nothing about smaller ones, so
    /// the number of requests alone is limited.
    func verdict(after refusal: ServiceFailure) -> Verdict {
        guard !streamTakes else { return .record }
        guard !areTooMany else { return .stream }
        return switch records {
        case ..<2: .record
        case 2: .askAnother
        default: refusal.isTooLargeForProxy ? .askAnother : .stream
        }
    }

    /// How many bytes a record takes that is too large for a proxy, whatever the moment; nil where that is not known. One
    /// refusal alone says nothing about records of the same size, and none about size where larger requests came through.
    var tooLargeBytes: Int? {
        guard refusedBytes < .max, refusedBytes > passedBytes else { return nil }
        return streamTakes || records > 2 ? refusedBytes : refusedBytes + 1
    }

    /// Whether the stream took nothing, and was asked often enough.
    var areTooMany: Bool { !streamTakes && requests >= Self.maximumRequests }

    /// The records that are now known to be bad; each is returned once.
    mutating func convicted() -> [Suspect] {
        guard streamTakes else { return [] }
        defer { undecided = [] }
        return undecided
    }

    /// The record that was refused while nothing else of its stream was answered for.
    var lone: Suspect? { records == 1 ? undecided.first : nil }
}

extension ServiceFailure {
    /// Whether something before the service, or the service without saying so, found the request too large.
    var isTooLargeForProxy: Bool { status == 413 && !provesInvalidInput }
}
