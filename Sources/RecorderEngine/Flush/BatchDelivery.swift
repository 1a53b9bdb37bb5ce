import RecorderAWS
import RecorderHTTP

/// Sees one stream's batches through: settles what an answer proves, sends again what may pass, halves what was refused.
///
/// It always ends: retries are counted, and a refused batch is halved only until one record of it stands alone.
struct BatchDelivery {
    private let stream: StreamName
    private let store: RecordStore
    private let sender: BatchSender
    private let policy: RecorderPolicy
    private let tell: @Sendable (RecorderEvent) -> Void

    /// What of the batch still waits for an answer, the last first.
    private var parts: [Batch] = []
    private var suspects = RefusedRecords()
    private(set) var report = FlushReport()

    init(
        _ stream: StreamName,
        _ store: RecordStore,
        _ sender: BatchSender,
        _ policy: RecorderPolicy,
        report: @escaping @Sendable (RecorderEvent) -> Void
    ) {
        self.stream = stream
        self.store = store
        self.sender = sender
        self.policy = policy
        tell = report
    }

    /// Settles a batch by the answer to its request, and sends what must be sent again; throws when the stream must be
    /// left. Each answer tells the pace how fast the stream takes records.
    mutating func finish(
        _ batch: Batch,
        _ first: BatchSender.Sent,
        _ pace: inout StreamPace
    ) async throws(RecorderError) {
        parts = [batch]
        do throws(RecorderError) {
            try await finishParts(batch, first, &pace)
        } catch {
            try await countAttempt(error)
            throw error
        }
    }

    private mutating func finishParts(
        _ batch: Batch,
        _ first: BatchSender.Sent,
        _ pace: inout StreamPace
    ) async throws(RecorderError) {
        var answer: BatchSender.Answer? = first.answer
        // All requests for the batch share their retries, so that no record is tried again more often than one call is.
        var attempts = first.attempts
        while let part = parts.popLast() {
            let current = if let answer { answer } else { await sender.send(part, &attempts) }
            answer = nil
            switch current {
            case .outcomes(let outcomes):
                let now = ContinuousClock.now
                let settled = try await settle(part, outcomes)
                pace.answered(taken: settled.taken, throttled: settled.isThrottled, at: now)
                guard let last = settled.failed.last else { continue }
                let again = part.keeping(settled.failed.map(\.record))
                if try await mayRetry(.asksAgain(settled.isThrottled ? .throttling : .transient), &attempts) {
                    parts.append(again)
                } else {
                    note(.service(last.failure))
                    // Not one record of the batch got through: the stream is left rather than hammered.
                    if again.records.count == batch.records.count { throw .service(last.failure) }
                }
            case .unreadable(let reason):
                guard try await mayRetry(.unreadable, &attempts) else {
                    // It may have been taken all the same, so it counts for no record.
                    throw .service(policy.failureRule == .countsAttempts ? .unproven : .unreadable(reason))
                }
                parts.append(part)
            case .refused(let failure):
                try await halve(part, failure)
            case .failed(let failure):
                parts.append(part)
                throw failure.kind == .cancelled ? .cancelled : .service(failure)
            }
        }
    }

    /// Settles what an answer proves and sends nothing again.
    mutating func settleOnly(_ batch: Batch, _ answer: BatchSender.Answer) async {
        guard case .outcomes(let outcomes) = answer else { return }
        do throws(RecorderError) {
            _ = try await settle(batch, outcomes)
        } catch {
            note(error)
        }
    }

    /// Notes why records stay; the stream's first failure is the one that is reported.
    mutating func note(_ error: RecorderError) {
        if report.failures.isEmpty { report.failures = [.init(stream: stream, error: error)] }
    }

    private func mayRetry(
        _ reason: AWSCaller.Unfinished,
        _ attempts: inout CallAttempts
    ) async throws(RecorderError) -> Bool {
        guard policy.failureRule == .sendsAgain else { return false }
        do {
            return try await sender.caller.waitToRetry(reason, &attempts)
        } catch {
            throw .cancelled
        }
    }

    // MARK: settle

    private struct Failed {
        let record: BatchedRecord
        let failure: ServiceFailure
    }

    /// What an answer came to.
    private struct Settled {
        var taken = 0
        /// Whether the stream had no room for a record.
        var isThrottled = false
        /// The records that failed and stay, in order.
        var failed: [Failed] = []
    }

    /// Applies the outcomes in one transaction.
    private mutating func settle(_ part: Batch, _ outcomes: [Outcome]) async throws(RecorderError) -> Settled {
        guard !outcomes.areDelivered else { return try await settleDelivered(part) }
        var settlement = Settlement()
        var settled = Settled()
        var lastFailure: ServiceFailure?
        for (record, outcome) in zip(part.records, outcomes) {
            switch outcome {
            case .delivered:
                settlement.remove(record, .delivered)
                settled.taken += 1
            case .rejected(let code, _) where policy.failureRule == .sendsAgain:
                settlement.remove(record, .discarded(.rejected(code: code)))
            case .rejected(let code, let message), .retry(let code, let message):
                let failure = ServiceFailure(ofRecord: code, message: message)
                lastFailure = failure
                if failure.kind == .throttled { settled.isThrottled = true }
                if let kept = countFailure(of: record, &settlement) {
                    settled.failed.append(Failed(record: kept, failure: failure))
                }
            case .unproven: note(.service(.unproven))
            }
        }
        if settled.taken > 0 { suspects.streamTakesRecords() }
        convict(&settlement)
        try await apply(settlement, lastFailure)
        return settled
    }

    /// Settles a batch all of whose records were proved taken, as nearly all are, without a look at each.
    private mutating func settleDelivered(_ part: Batch) async throws(RecorderError) -> Settled {
        var settlement = Settlement()
        settlement.remove(part.records, .delivered)
        suspects.streamTakesRecords()
        convict(&settlement)
        try await apply(settlement)
        return Settled(taken: part.records.count)
    }

    /// Counts one failure more: the record as it stays, or nil if that was one too many.
    ///
    /// Where no limit asks for them, failures that may pass are not counted: a record's refusals alone are.
    private func countFailure(of record: BatchedRecord, _ settlement: inout Settlement) -> BatchedRecord? {
        guard policy.discardsAfterFailures != nil || policy.failureRule == .countsAttempts else {
            settlement.keep(record)
            return record
        }
        var record = record
        record.failures += 1
        if let limit = policy.discardsAfterFailures, record.failures >= limit {
            settlement.remove(record, .discarded(.retriesExhausted))
            return nil
        }
        settlement.countFailure(of: record)
        return record
    }

    /// Counts the attempt that failed as a whole for every record that has no answer of its own.
    private mutating func countAttempt(_ error: RecorderError) async throws(RecorderError) {
        guard policy.failureRule == .countsAttempts, error.isAnswer, case .service(let failure) = error,
            failure.kind != .unreadable
        else { return }
        var settlement = Settlement()
        for part in parts.reversed() {
            for record in part.records { _ = countFailure(of: record, &settlement) }
        }
        try await apply(settlement, failure)
    }

    private mutating func apply(
        _ settlement: Settlement,
        _ failure: ServiceFailure? = nil
    ) async throws(RecorderError) {
        guard !settlement.isEmpty else { return }
        let receipt = try await store.settle(settlement)
        let discarded = receipt.discards.reduce(0) { $0 + $1.count }
        RoadLog.settled(
            stream,
            delivered: receipt.delivered,
            retried: settlement.kept.count,
            discarded: discarded
        )
        report.delivered += receipt.delivered
        tell(
            .answered(
                ServiceAnswer(
                    stream: stream,
                    delivered: receipt.delivered,
                    retried: settlement.kept.count,
                    failure: failure
                )
            )
        )
        for discard in receipt.discards {
            report.discarded += discard.count
            tell(.discarded(discard))
        }
        tell(.settled(receipt.progress))
    }

    // MARK: refused requests

    /// Halves a refused batch until the record that spoils it stands alone.
    private mutating func halve(_ part: Batch, _ refusal: ServiceFailure) async throws(RecorderError) {
        guard part.records.count == 1, let record = part.records.first else {
            let middle = part.records.count / 2
            parts.append(part.keeping(Array(part.records[middle...])))
            parts.append(part.keeping(Array(part.records[..<middle])))
            return
        }
        suspects.add(record, refusal)
        var settlement = Settlement()
        // By this rule the attempt counts whoever is to blame.
        if policy.failureRule == .countsAttempts { _ = countFailure(of: record, &settlement) }
        let verdict = suspects.verdict
        convict(&settlement)
        try await apply(settlement, refusal)
        switch verdict {
        case .record: break
        case .askAnother: guard askLast() else { throw .service(refusal) }
        case .stream: throw .service(refusal)
        }
    }

    /// Puts the batch's last record before the others that wait, alone; false if none waits.
    private mutating func askLast() -> Bool {
        guard let part = parts.first, let witness = part.records.last else { return false }
        parts[0].records.removeLast()
        if parts[0].records.isEmpty { parts.removeFirst() }
        parts.append(part.keeping([witness]))
        return true
    }

    private mutating func convict(_ settlement: inout Settlement) {
        let convicted = suspects.convicted()
        guard policy.failureRule == .sendsAgain else { return }
        for suspect in convicted {
            settlement.removeAlone(suspect.record, .discarded(.rejected(code: suspect.code)))
        }
    }

    /// A refused record that nobody's success vouches against stays, until its fourth refusal. A higher limit on failures
    /// is one on refusals too, as other failures are counted with them.
    mutating func settleLoneSuspect() async throws(RecorderError) {
        guard policy.failureRule == .sendsAgain, let suspect = suspects.undecided.first else { return }
        var settlement = Settlement()
        if suspect.record.failures + 1 >= max(RefusedRecords.maximumRefusals, policy.discardsAfterFailures ?? 0) {
            settlement.remove(suspect.record, .discarded(.rejected(code: suspect.code)))
        } else {
            settlement.countFailure(of: suspect.record)
            note(.service(suspect.refusal))
        }
        try await apply(settlement, suspect.refusal)
    }
}

extension ServiceFailure {
    fileprivate static let unproven = ServiceFailure(
        .unreadable,
        message: "The service's answer says neither that a record was taken nor why it was not; it is kept."
    )

    fileprivate static func unreadable(_ reason: String) -> ServiceFailure {
        ServiceFailure(
            .transport(HTTPFailure(.unreadableResponse, reason)),
            message: "\(reason) The records are kept and sent again later."
        )
    }
}

extension BatchSender.Answer {
    /// Whether every record was taken.
    var isDelivered: Bool {
        if case .outcomes(let outcomes) = self { outcomes.areDelivered } else { false }
    }
}

extension [Outcome] {
    /// Whether every record was taken. A pattern, as to compare two outcomes takes ten times as long.
    fileprivate var areDelivered: Bool {
        allSatisfy { if case .delivered = $0 { true } else { false } }
    }
}
