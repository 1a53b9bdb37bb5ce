import RecorderAWS

/// Judges records that were refused alone: is the record wrong, or the stream? Pure.
///
/// A service refuses a whole request for one bad record, but also for reasons of the stream (Firehose does so for a
/// stream that Kinesis feeds). Only when the stream took another record in the same flush is a refused one convicted.
/// Two refused with none taken: the last record of the batch, the one least like them, is asked before the stream is
/// blamed, or two bad records at the head of a stream would hold it up for ever.
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

    private(set) var undecided: [Suspect] = []
    private var streamTakes = false

    /// A record of the stream was delivered in this flush.
    mutating func streamTakesRecords() {
        streamTakes = true
    }

    /// Adds a record that was refused alone.
    mutating func add(_ record: BatchedRecord, _ refusal: ServiceFailure) {
        undecided.append(Suspect(record: record, refusal: refusal))
    }

    var verdict: Verdict {
        guard !streamTakes else { return .record }
        return switch undecided.count {
        case ..<2: .record
        case 2: .askAnother
        default: .stream
        }
    }

    /// The records that are now known to be bad; each is returned once.
    mutating func convicted() -> [Suspect] {
        guard streamTakes else { return [] }
        defer { undecided = [] }
        return undecided
    }
}
