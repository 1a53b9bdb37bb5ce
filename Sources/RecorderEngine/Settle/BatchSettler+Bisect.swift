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
            if !refused.acceptsMissingKeys, refusal.provesInvalidInput, part.hasBothKinds {
                parts.addRecordsWithKeys(of: part)
            } else {
                parts.addHalves(of: part)
            }
            try await keepTooLarge(refusal, parts: &parts)
            if refused.isAtRequestLimit { throw .service(refusal) }
            return
        }
        let size = await sizes.check(record, refusal: refusal)
        guard !size.isTooLarge else { return try await settleTooLarge(record, refusal: size.refusal) }
        if record.omitsKey, !refused.acceptsMissingKeys, refusal.provesInvalidInput, !size.mayBeTooLarge {
            parts.add(part)
            throw .service(missingKeys(refusal))
        }
        refused.add(
            record,
            bytes: part.entryBytes(of: record),
            refusal: size.refusal,
            mayBeTooLarge: size.mayBeTooLarge
        )
        try await settleRefused(record, refusal: size.refusal)
        try await keepTooLarge(refusal, parts: &parts)
        switch refused.decision(after: refusal, mayBeTooLarge: size.mayBeTooLarge) {
        case .continueBatch: break
        // If no record is left in this batch, the next batch is the probe.
        case .probe: parts.addProbe(smallest: refusal.isTooLargeForProxy || size.mayBeTooLarge)
        case .leaveStream: throw .service(refusal)
        }
    }

    /// The error if a part was refused because its records have no partition keys; nil if one of its records may be the cause.
    ///
    /// Without a key only the size of a record can be invalid. A stream that accepted such records accepts the others.
    func missingKeys(in part: Batch, refusal: ServiceFailure) -> ServiceFailure? {
        let common = context.sender.service.commonRecordBytes
        guard !refused.acceptsMissingKeys, refusal.provesInvalidInput,
            part.records.allSatisfy({ $0.omitsKey && $0.sentBytes <= common })
        else { return nil }
        return missingKeys(refusal)
    }

    private func missingKeys(_ refusal: ServiceFailure) -> ServiceFailure {
        refusal.with(
            message:
                "Stream \(stream) refused records without partition keys. Only streams whose record "
                + "distribution strategy is AUTO accept them: change the stream's, or let keys be sent. \(refusal.message)"
        )
    }

    /// Settles a record that is larger than its stream accepts, which is known: no other record is needed to confirm it.
    private mutating func settleTooLarge(
        _ record: BatchedRecord,
        refusal: ServiceFailure
    ) async throws(RecorderError) {
        refused.refusalExplained()
        RecorderLog.error("settle: \(refusal.message)")
        var settlement = Settlement()
        if countsAttempts {
            addAttempt(of: record, failure: refusal, to: &settlement)
        } else {
            let candidate = RefusedRecords.Candidate(record: record, refusal: refusal)
            settlement.remove(record, as: candidate.departure, message: refusal.message)
        }
        try await apply(settlement, reason: refusal)
        noteKept(settlement, refusal: refusal)
    }

    /// A refused record that stays ends the flush of a stream whose order is kept. No key is in a batch twice, so the rest of its
    /// batch is sent before.
    private mutating func noteKept(_ settlement: Settlement, refusal: ServiceFailure) {
        if !settlement.kept.isEmpty { refusalOfKept = refusalOfKept ?? refusal }
    }

    private mutating func settleRefused(
        _ record: BatchedRecord,
        refusal: ServiceFailure
    ) async throws(RecorderError) {
        var settlement = Settlement()
        if countsAttempts {
            addAttempt(of: record, failure: refusal, to: &settlement)
        } else if !refusal.provesInvalidInput {
            settlement.keep(record)
            reportFailure(.service(refusal))
        }
        removeConfirmed(&settlement)
        try await apply(settlement, reason: refusal)
        noteKept(settlement, refusal: refusal)
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
        noteKept(settlement, refusal: refusal)
    }

    /// Settles the candidates at the end of the stream. A record that is refused while no other record of its stream is
    /// answered stays until its fourth refusal, as does one that may be too large for the stream. The limit on failures applies
    /// instead if it is higher, because both share one counter. If several other records were refused, the stream may be at
    /// fault, and nothing is counted. `isLeft` says whether the stream was left before its end.
    mutating func settleCandidates(isLeft: Bool) async throws(RecorderError) {
        guard !countsAttempts, let first = refused.candidates.first else { return }
        let counted = refused.countedCandidates(isLeft: isLeft)
        if counted.isEmpty { return reportFailure(.service(first.refusal)) }
        let limit = max(RefusedRecords.maximumRefusals, context.policy.discardsAfterFailures ?? 0)
        for candidate in counted {
            var settlement = Settlement()
            if candidate.record.failures + 1 >= limit {
                settlement.removeAlone(candidate.record, as: candidate.departure, message: candidate.refusal.message)
            } else {
                settlement.keepCountingFailure(candidate.record)
                reportFailure(.service(candidate.refusal))
            }
            try await apply(settlement, reason: candidate.refusal)
        }
    }
}
