import RecorderAWS
import RecorderStore

/// What an answer changes in the store.
extension StreamDelivery {
    // MARK: - an answer for each record

    /// Settles the outcomes of a part of a batch.
    mutating func settlement(of part: Batch, outcomes: [Outcome], isRetry: Bool) -> (UnsettledAnswer, Judgement) {
        assert(outcomes.count == part.records.count, "an outcome for each record")
        refused.requestPassed(bytes: part.requestBytes)
        var judgement = Judgement(part: part, isRetry: isRetry)
        if outcomes.areAllDelivered { return (settlementOfDelivered(part, &judgement), judgement) }
        var settlement = Settlement()
        var (accepted, throttled): ([BatchedRecord], [BatchedRecord]) = ([], [])
        var reason: ServiceFailure?
        judgement.consequence = consequence(of: outcomes, for: part)
        for (record, outcome) in zip(part.records, outcomes) {
            switch outcome {
            case .delivered:
                settlement.remove(record, as: .delivered)
                accepted.append(record)
            case .rejected where part.isShared(record): break
            case .rejected(let code, let message), .retry(let code, let message):
                let failure = ServiceFailure(ofRecord: code, message: message)
                let how: RecordFailure = outcome.isRejected ? .rejected : .failed
                let fate = fate(how, because: failure, isSentAgain: judgement.consequence.separates)
                let kept = add(record, fate, because: failure, message: message.sanitized(), to: &settlement)
                guard fate != .leaves else { continue }
                reason = failure
                if failure.kind == .throttled { throttled.append(record) }
                if let kept { judgement.failed.append((kept, failure)) } else { judgement.exhausted.append(failure) }
            case .misplaced: settlement.keep(record)
            case .unproven:
                settlement.keep(record)
                reason = reason ?? .unproven
                reportFailure(.service(.unproven))
            }
        }
        (judgement.accepted, judgement.throttled) = (part.load(of: accepted), part.load(of: throttled))
        settlement.acceptedEntries = judgement.accepted.entries
        if !accepted.isEmpty { refused.accepted(accepted, of: part) }
        return (answer(settlement, reason: reason, throttled: throttled.count), judgement)
    }

    /// The usual case: nothing is inspected for each record.
    private mutating func settlementOfDelivered(_ part: Batch, _ judgement: inout Judgement) -> UnsettledAnswer {
        var settlement = Settlement()
        settlement.remove(part.records, as: .delivered)
        settlement.acceptedEntries = part.entryCount
        refused.accepted(part.records, of: part)
        judgement.accepted = part.load
        return answer(settlement)
    }

    private func consequence(of outcomes: [Outcome], for part: Batch) -> Consequence {
        let rejection = zip(part.records, outcomes).reversed().first { $1.isRejected && part.isShared($0) }?.1
        if case .rejected(let code, let message)? = rejection {
            return .separates(because: ServiceFailure(ofRecord: code, message: message))
        }
        if outcomes.contains(where: \.isMisplaced) { return .separates(because: nil) }
        return outcomes.contains(.unproven) && holdingOrder(.unproven) != nil ? .leavesStream(.unproven) : .resends
    }

    // MARK: - refused requests

    /// A record that was refused in a request of its own, and is larger than its stream accepts, or invalid.
    mutating func settlement(ofInvalid record: BatchedRecord, because refusal: ServiceFailure) -> UnsettledAnswer {
        var settlement = Settlement()
        add(record, fate(.invalid, because: refusal), because: refusal, to: &settlement)
        return holdingBack(settlement, because: refusal)
    }

    /// A record that was refused in a request of its own.
    mutating func settlement(ofRefused part: Batch, size: RecordSizeCheck.Result) -> UnsettledAnswer {
        guard let record = part.records.first else { preconditionFailure("a part has a record") }
        var settlement = Settlement()
        let refusal = size.refusal
        let fate = fate(.refused, because: refusal)
        add(record, fate, because: refusal, to: &settlement)
        if fate == .staysReported { reportFailure(.service(refusal)) }
        if fate == .undecided { refused.hold(part, because: refusal, mayBeTooLarge: size.finding == .mayBeTooLarge) }
        return holdingBack(settlement, because: refusal)
    }

    /// The records that are at least as large as one that was too large for a proxy stay without being sent: each would take a
    /// request in every flush.
    mutating func settlement(ofTooLargeForProxy records: [BatchedRecord], because refusal: ServiceFailure)
        -> UnsettledAnswer
    {
        var settlement = Settlement()
        for record in records { settlement.keep(record) }
        return holdingBack(settlement, because: refusal)
    }

    /// A refused record that stays ends the flush of a stream whose order is kept. No key is in a batch twice, so the rest of its
    /// batch is sent before.
    private mutating func holdingBack(_ settlement: Settlement, because refusal: ServiceFailure) -> UnsettledAnswer {
        if !settlement.kept.isEmpty { refusalOfKept = refusalOfKept ?? refusal }
        return answer(settlement, reason: refusal)
    }

    /// A record that is refused while no other record of its stream is answered stays until its fourth refusal, as does one that
    /// may be too large for the stream. The limit on failures applies instead if it is higher, because both share one counter. If
    /// several other records were refused, the stream may be at fault, and nothing is counted.
    mutating func settlement(of candidate: RefusedRecords.Candidate) -> UnsettledAnswer {
        var settlement = Settlement()
        if candidate.record.failures + 1 >= max(RefusedRecords.maximumRefusals, policy.discardsAfterFailures ?? 0) {
            let departure = RefusedRecords.departure(after: candidate.refusal)
            settlement.remove(candidate.record, as: departure, message: candidate.refusal.message)
        } else {
            settlement.keepCountingFailure(candidate.record)
            reportFailure(.service(candidate.refusal))
        }
        return answer(settlement, reason: candidate.refusal)
    }

    // MARK: - each record

    /// Records without an answer of their own, as the stream is left.
    func settlement(ofUnanswered records: [BatchedRecord], because error: RecorderError) -> UnsettledAnswer {
        var settlement = Settlement()
        guard error.isAnswer, case .service(let failure) = error else { return answer(settlement) }
        for record in records { add(record, fate(.unanswered, because: failure), because: failure, to: &settlement) }
        return answer(settlement, reason: failure)
    }

    private func fate(_ how: RecordFailure, because failure: ServiceFailure, isSentAgain: Bool = false) -> RecordFate {
        policy.failureRule.fate(
            of: how,
            because: failure,
            isLimited: policy.discardsAfterFailures != nil,
            isSentAgain: isSentAgain
        )
    }

    /// Adds a record that failed. Returns the record as kept, or nil if it leaves or is undecided.
    @discardableResult
    private func add(
        _ record: BatchedRecord,
        _ fate: RecordFate,
        because failure: ServiceFailure,
        message: String? = nil,
        to settlement: inout Settlement
    ) -> BatchedRecord? {
        switch fate {
        case .stays, .staysReported:
            settlement.keep(record)
            return record
        case .failsOnceMore:
            var record = record
            record.failures += 1
            if let limit = policy.discardsAfterFailures, record.failures >= limit {
                settlement.remove(record, as: .discarded(.retriesExhausted), message: failure.message)
                return nil
            }
            settlement.keepCountingFailure(record)
            return record
        case .leaves:
            let departure = RefusedRecords.departure(after: failure)
            settlement.remove(record, as: departure, message: message ?? failure.message)
            return nil
        case .undecided: return nil
        }
    }

    private func answer(_ settlement: Settlement, reason: ServiceFailure? = nil, throttled: Int = 0) -> UnsettledAnswer
    {
        var settlement = settlement
        settlement.keepsRejected = policy.keepsRejected
        return UnsettledAnswer(stream: stream, settlement: settlement, reason: reason, throttled: throttled)
    }
}

extension ServiceFailure {
    static let unproven = ServiceFailure(
        .unreadable,
        message: "The service's answer says neither that a record was taken nor why it was not; it is kept."
    )
}
