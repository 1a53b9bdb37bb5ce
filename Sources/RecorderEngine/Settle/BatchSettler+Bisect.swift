import RecorderAWS

/// Bisecting refused requests until the record that causes the refusal is in a request of its own.
extension BatchSettler {
    /// Splits a refused part, or settles its only record; throws if the stream must be left.
    mutating func bisect(
        _ part: Batch,
        refusal: ServiceFailure,
        parts: inout UnsentParts
    ) async throws(RecorderError) {
        refused.requestRefused()
        guard part.records.count == 1, let record = part.records.first else {
            parts.addHalves(of: part)
            try await keepTooLarge(refusal, parts: &parts)
            if refused.isAtRequestLimit { throw .service(refusal) }
            return
        }
        try await settleRefused(record, refusal: refusal)
        try await keepTooLarge(refusal, parts: &parts)
        switch refused.decision(after: refusal) {
        case .continueBatch: break
        // If no record is left in this batch, the next batch is the probe.
        case .probe: parts.addProbe(smallest: refusal.isTooLargeForProxy)
        case .leaveStream: throw .service(refusal)
        }
    }

    private mutating func settleRefused(
        _ record: BatchedRecord,
        refusal: ServiceFailure
    ) async throws(RecorderError) {
        refused.add(record, refusal: refusal)
        var settlement = Settlement()
        if countsAttempts {
            addAttempt(of: record, failure: refusal, to: &settlement)
        } else if !refusal.provesInvalidInput {
            settlement.keep(record)
            reportFailure(.service(refusal))
        }
        removeConfirmed(&settlement)
        try await apply(settlement, reason: refusal)
    }

    /// Keeps the records that are at least as large as one that was too large for a proxy, without sending them: each would
    /// take a request in every flush.
    private mutating func keepTooLarge(
        _ refusal: ServiceFailure,
        parts: inout UnsentParts
    ) async throws(RecorderError) {
        guard refusal.isTooLargeForProxy, let bytes = refused.tooLargeBytes else { return }
        var settlement = Settlement()
        for record in parts.removeRecords(from: bytes) { settlement.keep(record) }
        try await apply(settlement, reason: refusal)
    }

    /// Settles the candidate at the end of the stream. A record that is refused while no other record of its stream is
    /// answered stays until its fourth refusal. The limit on failures applies instead if it is higher, because both share one
    /// counter. If several records were refused, the stream may be at fault, and nothing is counted.
    mutating func settleSoleCandidate() async throws(RecorderError) {
        guard !countsAttempts, let first = refused.candidates.first else { return }
        guard let candidate = refused.soleCandidate else { return reportFailure(.service(first.refusal)) }
        var settlement = Settlement()
        let limit = max(RefusedRecords.maximumRefusals, context.policy.discardsAfterFailures ?? 0)
        if candidate.record.failures + 1 >= limit {
            settlement.remove(candidate.record, as: .discarded(.rejected(code: candidate.code)))
        } else {
            settlement.keepCountingFailure(candidate.record)
            reportFailure(.service(candidate.refusal))
        }
        try await apply(settlement, reason: candidate.refusal)
    }
}
