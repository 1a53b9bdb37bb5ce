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

    /// What of the batch still waits for an answer.
    private var parts: UnsentParts
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
        parts = UnsentParts()
    }

    /// Settles a batch by the answer to its request, and sends what must be sent again; throws when the stream must be
    /// left. Each answer tells the pace how fast the stream takes records.
    mutating func finish(
        _ batch: Batch,
        _ first: BatchSender.Sent,
        _ pace: inout StreamRateLimiter
    ) async throws(RecorderError) {
        parts = UnsentParts(batch)
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
        _ pace: inout StreamRateLimiter
    ) async throws(RecorderError) {
        var answer: BatchSender.Answer? = first.answer
        // All requests for the batch share their retries, so that no record is tried again more often than one call is.
        var attempts = first.attempts
        while let part = parts.next() {
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
                    parts.add(again)
                } else {
                    note(.service(last.failure))
                    // Not one record of the batch got through: the stream is left rather than hammered.
                    if again.records.count == batch.records.count { throw .service(last.failure) }
                }
            case .unreadable(let reason):
                parts.add(part)
                guard try await mayRetry(.unreadable, &attempts) else {
                    throw .service(
                        policy.failureRule == .countsAttempts ? .unproven(reason, stream) : .unreadable(reason, stream)
                    )
                }
            case .refused(let failure):
                try await halve(part, failure)
            case .failed(let failure):
                parts.add(part)
                throw failure.kind == .cancelled ? .cancelled : .service(failure)
            case .notSent(let error):
                parts.add(part)
                throw error
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
        _ reason: AWSServiceCaller.Unfinished,
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
        suspects.requestPassed(bytes: part.sentBytes)
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
            case .unproven:
                settlement.keep(record)
                lastFailure = lastFailure ?? .unproven
                note(.service(.unproven))
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
        guard policy.failureRule == .countsAttempts, error.isAnswer, case .service(let failure) = error else { return }
        var settlement = Settlement()
        for record in parts.records { countAttempt(of: record, failure, &settlement) }
        try await apply(settlement, failure)
    }

    /// Counts a request's failure for one of its records, if the service itself refused it: a proxy's page says as little
    /// about a record as no answer does, and after one that proves nothing it may have been taken.
    private func countAttempt(of record: BatchedRecord, _ failure: ServiceFailure, _ settlement: inout Settlement) {
        if failure.isOfService, failure.kind != .unreadable {
            _ = countFailure(of: record, &settlement)
        } else {
            settlement.keep(record)
        }
    }

    private mutating func apply(
        _ settlement: Settlement,
        _ failure: ServiceFailure? = nil
    ) async throws(RecorderError) {
        guard !settlement.isEmpty else { return }
        let receipt = try await store.settle(settlement)
        let discarded = receipt.discards.reduce(0) { $0 + $1.count }
        PipelineLog.settled(
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
        suspects.countRequest()
        guard part.records.count == 1, let record = part.records.first else {
            parts.addHalves(of: part)
            try await keepTooLarge(refusal)
            if suspects.areTooMany { throw .service(refusal) }
            return
        }
        suspects.add(record, refusal)
        var settlement = Settlement()
        if policy.failureRule == .countsAttempts {
            countAttempt(of: record, refusal, &settlement)
        } else if !refusal.provesInvalidInput {
            settlement.keep(record)
            note(.service(refusal))
        }
        convict(&settlement)
        try await apply(settlement, refusal)
        try await keepTooLarge(refusal)
        switch suspects.verdict(after: refusal) {
        case .record: break
        // If none is left in this batch, the next one is asked.
        case .askAnother: parts.askAnother(smallest: refusal.isTooLargeForProxy)
        case .stream: throw .service(refusal)
        }
    }

    /// Keeps, without asking, the records that are at least as large as one that was too large for a proxy: they would cost
    /// as many requests in each flush.
    private mutating func keepTooLarge(_ refusal: ServiceFailure) async throws(RecorderError) {
        guard refusal.isTooLargeForProxy, let bytes = suspects.tooLargeBytes else { return }
        var settlement = Settlement()
        for record in parts.removeRecords(from: bytes) { settlement.keep(record) }
        try await apply(settlement, refusal)
    }

    private mutating func convict(_ settlement: inout Settlement) {
        let convicted = suspects.convicted()
        guard policy.failureRule == .sendsAgain else { return }
        for suspect in convicted {
            settlement.removeAlone(suspect.record, .discarded(.rejected(code: suspect.code)))
        }
    }

    /// A record that the service refuses and that nobody's success vouches against stays, until its fourth refusal. A
    /// higher limit on failures is one on refusals too, as other failures are counted with them. Where several were
    /// refused, the stream may be to blame, and nothing is counted.
    mutating func settleLoneSuspect() async throws(RecorderError) {
        guard policy.failureRule == .sendsAgain, let first = suspects.undecided.first else { return }
        guard let suspect = suspects.lone else { return note(.service(first.refusal)) }
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

extension Batch {
    /// The bytes of its request, or a little less.
    fileprivate var sentBytes: Int {
        records.count < countAsRead ? records.reduce(0) { $0 + $1.entry.count } : requestAsRead.count
    }
}

extension ServiceFailure {
    fileprivate static let unproven = ServiceFailure(
        .unreadable,
        message: "The service's answer says neither that a record was taken nor why it was not; it is kept."
    )

    /// An answer that says nothing of the whole batch.
    fileprivate static func unproven(_ reason: String, _ stream: StreamName) -> ServiceFailure {
        ServiceFailure(.unreadable, message: kept(reason, stream))
    }

    /// The same, where it is like no answer at all.
    fileprivate static func unreadable(_ reason: String, _ stream: StreamName) -> ServiceFailure {
        let text = kept(reason, stream)
        return ServiceFailure(.transport(HTTPFailure(.unreadableResponse, text)), message: text)
    }

    private static func kept(_ reason: String, _ stream: StreamName) -> String {
        "\(reason) The records of \(stream) are kept and sent again later."
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
