import RecorderAWS

/// What the service's answer means for one record.
///
/// A new kind of answer for a record is a case here; for a whole request, of `BatchSender.Answer`. `PutAnswer` reads the entries
/// of an answer (`AnswerScanner` and `CBORAnswerScanner` only the usual ones, `PutAnswer+CBOR` all of CBOR); a code that calls a
/// record invalid is an entry of `InvalidInputCodes`, and what another code means is in `FailureKinds`. The compiler then names
/// `StreamDelivery+Settlements`, which decides what it does to the record, and `BatchSender+Log`; it does not name
/// `consequence(of:for:)` and `answeredLate`. `StreamDeliveryTests+Rows` gets a row, and `OutcomeTableTests` if a server can give
/// that answer.
package enum Outcome: Sendable, Hashable {
    /// Its own entry proves it: there is a sequence number or a record id.
    case delivered
    /// It failed and may succeed later. Every code that is not known to call a record invalid means this.
    case retry(code: String, message: String)
    /// The service called the record itself invalid.
    case rejected(code: String, message: String)
    /// Its entry says neither that it was accepted nor that it was not.
    case unproven
    /// It was accepted in an entry that records share, and is not, or not known to be, in the shard that holds the entry's key:
    /// consumers may drop it.
    case misplaced

    init(code: String, message: String) {
        // The service's text goes into reports, so it is cut. It is judged uncut: the end may be what matters.
        let text = code.sanitized(limit: 128)
        self =
            InvalidInputCodes.contains(code)
            ? .rejected(code: text, message: message) : .retry(code: text, message: message)
    }

    var isMisplaced: Bool {
        if case .misplaced = self { true } else { false }
    }

    var isRejected: Bool {
        if case .rejected = self { true } else { false }
    }
}

extension [Outcome] {
    /// Whether every record was accepted. Uses a pattern: comparing two outcomes takes ten times as long.
    var areAllDelivered: Bool {
        allSatisfy { if case .delivered = $0 { true } else { false } }
    }
}
