import RecorderAWS

/// Settles the records of one stream: applies to the store what the answers prove, and reports it.
struct BatchSettler {
    let context: FlushContext
    let stream: StreamName
    var refused = RefusedRecords()
    /// The sizes that the stream accepts.
    var sizes: RecordSizeCheck
    private(set) var report = FlushReport()
    /// The refusal of the first refused record that stays.
    var refusalOfKept: ServiceFailure?

    init(_ stream: StreamName, context: FlushContext) {
        self.stream = stream
        self.context = context
        sizes = RecordSizeCheck(stream, sender: context.sender)
    }

    /// Why the stream's flush ends after this batch, if the order is kept: a refused record stays, or may be sent again after the
    /// stream's maximum was raised. Other invalid records are decided by those behind them.
    var refusalHoldingOrder: ServiceFailure? {
        guard context.keepsOrder else { return nil }
        return refusalOfKept ?? (countsAttempts ? nil : refused.candidates.first(where: \.mayBeTooLarge)?.refusal)
    }

    var countsAttempts: Bool { context.policy.failureRule == .countsAttempts }

    /// Reports why records stay; only the stream's first reason counts.
    mutating func reportFailure(_ error: RecorderError) {
        if report.failures.isEmpty { report.failures = [.init(stream: stream, error: error)] }
    }

    // MARK: - outcomes

    /// The result of settling an answer.
    struct Settled {
        var accepted = StreamLoad()
        /// What the stream had no capacity for.
        var throttled = StreamLoad()
        /// Why records that share an entry were called invalid: nothing says which of them is.
        var sharedRejection: ServiceFailure?
        /// Whether an entry that records share is not where consumers find it.
        var isMisplaced = false
        /// Whether the answer proves nothing about a record.
        var isUnproven = false
        /// The records that failed and stay, in order.
        var failed: [BatchedRecord] = []
        /// Why the last of them failed.
        var lastFailure: ServiceFailure?
    }

    /// Applies the outcomes of a part of a batch in one transaction.
    mutating func settle(_ part: Batch, outcomes: [Outcome]) async throws(RecorderError) -> Settled {
        refused.requestPassed(bytes: part.requestBytes)
        guard !outcomes.areAllDelivered else { return try await settleDelivered(part) }
        var settlement = Settlement()
        var settled = Settled()
        var accepted: [BatchedRecord] = []
        var throttled: [BatchedRecord] = []
        var reason: ServiceFailure?
        // Then all that stay are sent again at once, and what happens to them there counts.
        let isSentSeparately = zip(part.records, outcomes).contains {
            $1.isMisplaced || $1.isRejected && part.isShared($0)
        }
        for (record, outcome) in zip(part.records, outcomes) {
            switch outcome {
            case .delivered:
                settlement.remove(record, as: .delivered)
                accepted.append(record)
            case .rejected(let code, let message) where part.isShared(record):
                settled.sharedRejection = ServiceFailure(ofRecord: code, message: message)
            case .rejected(let code, let message) where !countsAttempts:
                settlement.remove(record, as: .discarded(.rejected(code: code)), message: message.sanitized())
            case .rejected(let code, let message), .retry(let code, let message):
                let failure = ServiceFailure(ofRecord: code, message: message)
                reason = failure
                if failure.kind == .throttled { throttled.append(record) }
                if isSentSeparately, countsAttempts {
                    settlement.keep(record)
                } else if let kept = addFailed(record, failure: failure, to: &settlement) {
                    settled.failed.append(kept)
                    settled.lastFailure = failure
                }
            case .misplaced:
                settlement.keep(record)
                settled.isMisplaced = true
            case .unproven:
                settlement.keep(record)
                settled.isUnproven = true
                reason = reason ?? .unproven
                reportFailure(.service(.unproven))
            }
        }
        settled.accepted = part.load(of: accepted)
        settlement.acceptedEntries = settled.accepted.entries
        settled.throttled = part.load(of: throttled)
        if !accepted.isEmpty { refused.accepted(accepted) }
        removeConfirmed(&settlement)
        try await apply(settlement, reason: reason, throttled: throttled.count)
        return settled
    }

    /// Settles a part whose records were all accepted, which is the usual case, without inspecting each.
    private mutating func settleDelivered(_ part: Batch) async throws(RecorderError) -> Settled {
        var settlement = Settlement()
        settlement.remove(part.records, as: .delivered)
        settlement.acceptedEntries = part.entryCount
        refused.accepted(part.records)
        removeConfirmed(&settlement)
        try await apply(settlement)
        return Settled(accepted: part.load)
    }

    /// Applies what an answer proves. Errors are reported, and nothing is sent again.
    mutating func settleWithoutResending(_ batch: Batch, answer: BatchSender.Answer) async {
        guard case .outcomes(let outcomes) = answer else { return }
        do throws(RecorderError) {
            _ = try await settle(batch, outcomes: outcomes)
        } catch {
            reportFailure(error)
        }
    }

    // MARK: - failures

    /// Adds a record that failed. Returns the record as kept, or nil if it has failed too often and is discarded.
    ///
    /// Failures are not counted if no limit depends on them.
    private func addFailed(
        _ record: BatchedRecord,
        failure: ServiceFailure,
        to settlement: inout Settlement
    ) -> BatchedRecord? {
        guard context.policy.discardsAfterFailures != nil || countsAttempts else {
            settlement.keep(record)
            return record
        }
        var record = record
        record.failures += 1
        if let limit = context.policy.discardsAfterFailures, record.failures >= limit {
            settlement.remove(record, as: .discarded(.retriesExhausted), message: failure.message)
            return nil
        }
        settlement.keepCountingFailure(record)
        return record
    }

    /// Counts a failed request for every record without an answer of its own.
    mutating func countAttempt(_ error: RecorderError, of records: [BatchedRecord]) async throws(RecorderError) {
        guard countsAttempts, error.isAnswer, case .service(let failure) = error else { return }
        var settlement = Settlement()
        for record in records { addAttempt(of: record, failure: failure, to: &settlement) }
        try await apply(settlement, reason: failure)
    }

    /// Counts a failed request for one of its records, if the service itself refused it. A proxy's answer says nothing about a
    /// record, and after an answer without proof it may have been accepted.
    func addAttempt(of record: BatchedRecord, failure: ServiceFailure, to settlement: inout Settlement) {
        if failure.isOfService, failure.kind != .unreadable {
            _ = addFailed(record, failure: failure, to: &settlement)
        } else {
            settlement.keep(record)
        }
    }

    /// Adds the records that are now confirmed invalid.
    mutating func removeConfirmed(_ settlement: inout Settlement) {
        let confirmed = refused.confirmInvalid()
        guard !countsAttempts else { return }
        for candidate in confirmed {
            settlement.removeAlone(candidate.record, as: candidate.departure, message: candidate.refusal.message)
        }
    }

    // MARK: - apply

    /// Applies a settlement in one transaction, and reports it.
    mutating func apply(
        _ settlement: Settlement,
        reason: ServiceFailure? = nil,
        throttled: Int = 0
    ) async throws(RecorderError) {
        guard !settlement.isEmpty else { return }
        var settlement = settlement
        settlement.keepsRejected = context.policy.keepsRejected
        try await apply(
            UnsettledAnswer(stream: stream, settlement: settlement, reason: reason, throttled: throttled)
        )
    }

    /// The same for an answer that an earlier flush could not apply.
    mutating func apply(_ answer: UnsettledAnswer) async throws(RecorderError) {
        let settlement = answer.settlement
        let receipt = try await context.settles.settle(answer, in: context.store, since: context.totalsAtStart)
        let discarded = receipt.discards.reduce(0) { $0 + $1.count }
        let retried = settlement.kept.count
        RecorderLog.verbose(
            "settle: stream \(stream): \(receipt.delivered) delivered, \(retried) failed and kept, \(discarded) discarded."
        )
        report.delivered += receipt.delivered
        report.entries += receipt.progress.entries
        report.discarded += discarded
        let event = ServiceAnswer(
            stream: stream,
            delivered: receipt.delivered,
            retried: retried,
            throttled: answer.throttled,
            failure: answer.reason
        )
        context.emit(.answered(event))
        for var discard in receipt.discards {
            if case .rejected = discard.reason { discard.message = settlement.rejection }
            context.emit(.discarded(discard))
        }
        context.emit(.settled(receipt.progress))
        if let rest = receipt.rest { throw rest.error }
    }
}

extension ServiceFailure {
    static let unproven = ServiceFailure(
        .unreadable,
        message: "The service's answer says neither that a record was taken nor why it was not; it is kept."
    )
}
