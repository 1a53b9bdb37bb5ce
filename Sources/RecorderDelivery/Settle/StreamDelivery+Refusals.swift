import RecorderAWS
import RecorderStore

/// Bisecting refused requests until the record that causes the refusal is in a request of its own.
extension StreamDelivery {
    mutating func refused(_ part: Batch, because refusal: ServiceFailure) -> [Action] {
        if part.sharesEntries { return separate(because: refusal) }
        if lacksKeys(part), mayNeedKeys(refusal) { return leaveWithoutKeys(part, because: refusal) }
        refused.requestRefused()
        guard part.records.count > 1 else { return refusedAlone(part, because: refusal) }
        var part = part
        part.refusal = part.records.count == 2 && refusal.provesInvalidInput ? .beside(refused.refusals) : nil
        if mayNeedKeys(refusal), part.hasBothKinds {
            batch?.parts.addRecordsWithKeys(of: part)
        } else {
            batch?.parts.addHalves(of: part)
        }
        return settle(
            [settlementOfRest(after: refusal)],
            then: refused.isAtRequestLimit ? .leave(.service(refusal)) : .ready
        )
    }

    /// The stream's maximum was looked up; nil if the service does not say it.
    mutating func lookedUp(_ maximum: Int?) -> [Action] {
        guard case .lookingUp(let part, let refusal) = state else { preconditionFailure("no size was looked up") }
        sizes.lookedUp(maximum)
        return refusedAlone(part, because: refusal)
    }

    private mutating func refusedAlone(_ part: Batch, because refusal: ServiceFailure) -> [Action] {
        guard let record = part.records.first else { preconditionFailure("a part has a record") }
        guard let size = sizes.check(record, refusal: refusal) else {
            state = .lookingUp(part, refusal: refusal)
            return [.lookUp]
        }
        let isTooLarge = size.finding == .tooLarge
        guard !isTooLarge, !refused.isInvalid(part, because: refusal) else {
            if isTooLarge { refused.refusalExplained() }
            let log = Action.log("settle: \(size.refusal.message)")
            return [log] + settle([settlement(ofInvalid: record, because: size.refusal)], then: .ready)
        }
        let mayBeTooLarge = size.finding == .mayBeTooLarge
        if record.omitsKey, mayNeedKeys(refusal), !mayBeTooLarge {
            return leaveWithoutKeys(part, because: refusal)
        }
        refused.recordRefused(refusal, bytes: part.entryBytes(of: record))
        let settlements: ArraySlice = [settlement(ofRefused: part, size: size), settlementOfRest(after: refusal)]
        switch refused.decision(after: refusal, mayBeTooLarge: mayBeTooLarge) {
        case .continueBatch: return settle(settlements, then: .ready)
        case .probe:
            // If no record is left in this batch, the next batch is the probe.
            batch?.parts.addProbe(smallest: refusal.isTooLargeForProxy || mayBeTooLarge)
            return settle(settlements, then: .ready)
        case .leaveStream: return settle(settlements, then: .leave(.service(refusal)))
        }
    }

    /// Removes from the parts what is too large for a proxy that has refused a smaller record.
    private mutating func settlementOfRest(after refusal: ServiceFailure) -> UnsettledAnswer {
        let bytes = refusal.isTooLargeForProxy ? refused.tooLargeBytes : nil
        let records = bytes.flatMap { batch?.parts.removeRecords(from: $0) } ?? []
        return settlement(ofTooLargeForProxy: records, because: refusal)
    }

    /// Whether a part may have been refused because of missing keys. A stream that accepted records without one accepts the others.
    private func mayNeedKeys(_ refusal: ServiceFailure) -> Bool {
        !refused.acceptsMissingKeys && refusal.provesInvalidInput
    }

    /// Whether nothing else can be invalid in it: without a key that is only the size of a record.
    private func lacksKeys(_ part: Batch) -> Bool {
        part.records.allSatisfy { $0.omitsKey && $0.sentBytes <= sizes.commonMaximum }
    }

    private mutating func leaveWithoutKeys(_ part: Batch, because refusal: ServiceFailure) -> [Action] {
        batch?.parts.add(part)
        let text =
            "Stream \(stream) refused records without partition keys. Only streams whose record "
            + "distribution strategy is AUTO accept them: change the stream's, or let keys be sent. \(refusal.message)"
        return leave(.service(refusal.with(message: text)))
    }
}
