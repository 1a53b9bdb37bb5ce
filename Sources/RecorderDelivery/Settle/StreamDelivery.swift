import RecorderAWS
import RecorderStore

/// What becomes of one stream's records: a value, without clock, disk, network, random numbers or log. `DeliveryLoop` performs its
/// actions, and tells it what came of them.
///
/// Batches are delivered one after the other. The parts of a batch that have no answer yet are sent again until none is left:
/// retries are limited as long as the stream accepts nothing, and a refused part is split only down to single records. So it
/// always ends.
///
/// | state | event | then; actions |
/// |---|---|---|
/// | `idle` | `begin`: the first request of a batch was sent | `sent` |
/// | | `answeredLate`, `earlier`: what an answer proves is settled, nothing is sent | `settling`, then `idle` |
/// | | `finish`: no batch is left, or the stream was left | `settling` the candidates, if they count one by one, then `idle` |
/// | `sent` | `answered`: an outcome for each record | `settling`, then judged |
/// | | `answered`: unreadable | `waiting`; wait |
/// | | `answered`: refused, and records share entries | `idle`; log, end: they must be separated |
/// | | `answered`: refused, because keys are missing | left |
/// | | `answered`: refused, several records | split in halves, or by whether they have keys; `settling`, then `ready` or left |
/// | | `answered`: refused, one record | as after `lookedUp`; or `lookingUp`, if its size needs that; look up |
/// | | `answered`: failed, or not sent | left |
/// | | `answered`: must be separated | `idle`; end |
/// | `lookingUp` | `lookedUp` | larger than the stream accepts: `settling`, then `ready`; log |
/// | | | otherwise: `settling`, then `ready`, perhaps to send another record as a probe, or left |
/// | `settling` | `settled` | the next settlement; settle it. Or what follows |
/// | | `settled` in part, or not | left |
/// | judged | | a shared entry is invalid or misplaced: `idle`; log, end |
/// | | | an entry proves nothing, and there is an order: left |
/// | | | records failed: `waiting`; refund, restart, wait. None did: `ready`. All of the batch failed too often: left |
/// | `waiting` | `waited` | `ready`, to send the part again |
/// | | `waited`: no retry is left. The same at once if attempts are counted | `ready` with the other parts (none after throttling), or left |
/// | | `waited`: cancelled | left |
/// | `ready`; next | `next` | `sent`; send. Removed meanwhile: `ready`; next. None left: `idle`; end. Or left, if there is an order and a record stays |
/// | left | | `settling` what that means for records without an answer, then `idle`; end |
struct StreamDelivery {
    typealias Instant = ContinuousClock.Instant

    enum State {
        case idle
        /// The next part can be sent.
        case ready
        case sent(Batch, isRetry: Bool)
        /// Whether a part's only record, which was refused, is larger than the stream accepts.
        case lookingUp(Batch, refusal: ServiceFailure)
        /// To send a part again.
        case waiting(Batch, after: RetryCause)
        /// These are settled after the current one.
        case settling(ArraySlice<UnsettledAnswer>, then: Step)
    }

    /// What follows when all is settled.
    enum Step {
        case ready
        case judge(Judgement)
        case settleCandidates(ArraySlice<RefusedRecords.Candidate>)
        case leave(RecorderError)
        /// The attempts of records without an answer are settled, too.
        case left(RecorderError)
        case end(Ending)
    }

    /// Why a part is sent again.
    enum RetryCause {
        case unreadable(String)
        case failed(ServiceFailure, isThrottled: Bool)
    }

    /// What an answer says of a part as a whole.
    struct Judgement {
        let part: Batch
        let isRetry: Bool
        var accepted = StreamLoad()
        /// What the stream had no capacity for.
        var throttled = StreamLoad()
        /// The records that failed and stay, in order, and why.
        var failed: [(record: BatchedRecord, failure: ServiceFailure)] = []
        /// Why others leave: they failed as often as is allowed.
        var exhausted: [ServiceFailure] = []
        var consequence = Consequence.resends
    }

    enum Consequence {
        /// What failed is sent again.
        case resends
        /// An answer proves nothing about a record.
        case leavesStream(ServiceFailure)
        /// An entry that records share was called invalid, and nothing says because of which; or it is not where consumers find it.
        case separates(because: ServiceFailure?)

        var separates: Bool { if case .separates = self { true } else { false } }
    }

    /// Each but `refundRetry`, `restartRetries` and `log` is the last of its list: its result comes back as an event.
    enum Action {
        /// Tell the time, how large a request may be, and what was removed meanwhile.
        case next(FlightRange)
        /// Send a part after its `delay`.
        case send(Batch)
        /// Ask for the stream's maximum.
        case lookUp
        case settle(UnsettledAnswer)
        /// Pay for a retry, and wait.
        case wait(AWSServiceCaller.RetryReason)
        /// Pay back what the last retry has cost.
        case refundRetry
        /// Count retries from the beginning.
        case restartRetries
        case log(String)
        case end(Ending)
    }

    enum Ending {
        case delivered
        /// Records that share an entry stay, and those without an answer, to be sent again in entries of their own.
        case mustBeSeparated
        /// This flush sends nothing more to the stream; `report` says why. `StreamScheduler` says when it is tried again.
        case left
    }

    /// How far a batch has come.
    struct Progress {
        let range: FlightRange
        var parts = UnsentParts()
        /// When the last answer arrived, and how long its retry has waited since.
        var answeredAt: Instant
        var waited = Duration.zero
        /// Whether any record was accepted or settled otherwise.
        var isSettledInPart = false
        /// What retries wait for: the stream's pace if the first answer accepted at least as many entries as it throttled.
        var pace: StreamRateLimiter.Pace?
    }

    let stream: StreamName
    let policy: RecorderPolicy
    /// Whether younger records of a key wait for its older ones.
    private let keepsOrder: Bool
    var state = State.idle
    var batch: Progress?
    var refused = RefusedRecords()
    var sizes: RecordSizeCheck
    /// The stream's rate, which it learns from each answer.
    var limiter: StreamRateLimiter
    /// Why the stream is left after this batch if an order is kept: the refusal of the first refused record that stays.
    var refusalOfKept: ServiceFailure?
    private(set) var report = FlushReport()

    init(_ stream: StreamName, to service: StreamServiceDescription, policy: RecorderPolicy, limiter: StreamRateLimiter)
    {
        self.stream = stream
        self.policy = policy
        self.limiter = limiter
        keepsOrder = policy.keepsOrder(of: service)
        sizes = RecordSizeCheck(stream, commonMaximum: service.commonRecordBytes)
        self.limiter.isOrdered = keepsOrder
    }

    /// Reports why records stay; only the stream's weightiest reason counts, the first of several.
    mutating func reportFailure(_ error: RecorderError) {
        if let first = report.failures.first, first.error.weight >= error.weight { return }
        report.failures = [.init(stream: stream, error: error)]
    }

    // MARK: - a batch

    /// The first request of a batch was sent.
    mutating func begin(_ batch: Batch, at now: Instant) {
        guard case .idle = state else { preconditionFailure("a batch begins before the last one has ended") }
        self.batch = Progress(range: batch.flight, answeredAt: now)
        state = .sent(batch, isRetry: false)
    }

    /// A part as it is sent now.
    func sending(_ part: Batch) -> Batch {
        var part = part
        part.sentAfter = refused.refusals
        return part
    }

    /// The request was answered.
    mutating func answered(_ answer: BatchSender.Answer, at now: Instant) -> [Action] {
        guard case .sent(let part, let isRetry) = state else { preconditionFailure("an answer without a request") }
        batch?.answeredAt = now
        batch?.waited = .zero
        switch answer {
        case .outcomes(let outcomes):
            let (answer, judgement) = settlement(of: part, outcomes: outcomes, isRetry: isRetry)
            return settle([answer], then: .judge(judgement))
        case .unreadable(let reason): return retry(part, after: .unreadable(reason), for: .unreadable)
        case .refused(let failure): return refused(part, because: failure)
        case .failed(let failure):
            batch?.parts.add(part)
            return leave(failure.kind == .cancelled ? .cancelled : .service(failure))
        case .notSent(let error):
            batch?.parts.add(part)
            return leave(error)
        case .mustBeSeparated: return end(.mustBeSeparated)
        }
    }

    /// Sends the next part: no more than a limit, and nothing that was removed meanwhile.
    mutating func next(at now: Instant, room: StreamLoad?, removed: RecordID?) -> [Action] {
        guard case .ready = state else { preconditionFailure("another part is not due") }
        for part in refused.takeCandidatesToSend().reversed() { batch?.parts.add(part) }
        guard let part = batch?.parts.next(upTo: limiter.largestRequest(at: now, within: room)) else {
            // Other invalid records are decided by those behind them.
            let refusal = refusalOfKept ?? refused.candidates.first(where: \.mayBeTooLarge)?.refusal
            return if let refusal = holdingOrder(refusal) { leave(.service(refusal)) } else { end(.delivered) }
        }
        guard let rest = part.rest(after: removed).map(sending) else { return ready() }
        state = .sent(rest, isRetry: true)
        return [.send(rest)]
    }

    /// The delay before a part is sent again. The time that the retry has waited counts for that.
    mutating func delay(before part: Batch, random: Double) -> Duration {
        guard let batch else { preconditionFailure("a part of no batch") }
        return limiter.delay(before: part.load, at: batch.answeredAt, random: random) - batch.waited
    }

    mutating func ready() -> [Action] {
        guard let batch else { preconditionFailure("a part of no batch") }
        state = .ready
        return [.next(batch.range)]
    }

    private mutating func end(_ ending: Ending) -> [Action] {
        state = .idle
        batch = nil
        return [.end(ending)]
    }

    // MARK: - settling

    /// What an answer proves is settled, and nothing is sent again.
    mutating func answeredLate(_ batch: Batch, _ answer: BatchSender.Answer) -> [Action] {
        guard case .idle = state else { preconditionFailure("a late answer during a delivery") }
        guard case .outcomes(let outcomes) = answer else { return end(.delivered) }
        return settle([settlement(of: batch, outcomes: outcomes, isRetry: false).0], then: .end(.delivered))
    }

    /// An answer that an earlier flush could not settle.
    mutating func earlier(_ answer: UnsettledAnswer) -> [Action] {
        guard case .idle = state else { preconditionFailure("an earlier answer during a delivery") }
        return settle([answer], then: .end(.delivered))
    }

    /// No batch is left, or the stream was left: settles the candidates. Records that may be too large could keep a stream from
    /// its later records for ever.
    mutating func finish(isLeft: Bool) -> [Action] {
        guard case .idle = state else { preconditionFailure("a flush ends during a delivery") }
        let (counted, others) = refused.finish(isLeft: isLeft)
        if let first = others.first { reportFailure(.service(first.refusal)) }
        return follow(.settleCandidates(counted[...]))
    }

    /// The current answer was settled, perhaps in part, or was not.
    mutating func settled(_ result: Result<SettleReceipt, RecorderError>) -> [Action] {
        guard case .settling(let rest, let step) = state else { preconditionFailure("nothing was to be settled") }
        switch result {
        case .success(let receipt):
            report.delivered += receipt.delivered
            report.entries += receipt.progress.entries
            report.discarded += receipt.discarded
            return if let rest = receipt.rest { leave(rest.error) } else { settle(rest, then: step) }
        case .failure(let error): return leave(error)
        }
    }

    mutating func settle(_ answers: ArraySlice<UnsettledAnswer>, then step: Step) -> [Action] {
        var rest = answers.drop { $0.settlement.isEmpty }
        guard let first = rest.popFirst() else { return follow(step) }
        state = .settling(rest, then: step)
        return [.settle(first)]
    }

    private mutating func follow(_ step: Step) -> [Action] {
        switch step {
        case .ready: return ready()
        case .judge(let judgement): return judge(judgement)
        case .settleCandidates(var rest):
            guard let candidate = rest.popFirst() else { return end(.delivered) }
            return settle([settlement(of: candidate)], then: .settleCandidates(rest))
        case .leave(let error): return leave(error)
        case .left(let error):
            reportFailure(error)
            return end(.left)
        case .end(let ending): return end(ending)
        }
    }

    /// Leaves the stream. Records without an answer of their own may have failed once more.
    mutating func leave(_ error: RecorderError) -> [Action] {
        let unanswered = batch?.parts.records ?? []
        batch?.parts = UnsentParts()
        return settle([settlement(ofUnanswered: unanswered, because: error)], then: .left(error))
    }

    /// The failure of a record that stays, if the stream must be left because of it: younger records of its key wait for it.
    func holdingOrder(_ failure: ServiceFailure?) -> ServiceFailure? { keepsOrder ? failure : nil }

    // MARK: - outcomes

    private mutating func judge(_ answer: Judgement) -> [Action] {
        guard let answeredAt = batch?.answeredAt else { preconditionFailure("an answer to no batch") }
        limiter.answered(
            accepted: answer.accepted,
            throttled: answer.throttled,
            isRetry: answer.isRetry,
            at: answeredAt
        )
        switch answer.consequence {
        case .separates(let failure): return separate(because: failure)
        case .leavesStream(let failure): return leave(.service(failure))
        case .resends: return resend(answer)
        }
    }

    mutating func separate(because failure: ServiceFailure?) -> [Action] {
        guard let failure else { return end(.mustBeSeparated) }
        let text = "settle: stream \(stream) refused records that share an entry; each is sent in one of its own: "
        return [.log(text + failure.message)] + end(.mustBeSeparated)
    }

    /// Waits to send the records that failed again, if there are any.
    private mutating func resend(_ answer: Judgement) -> [Action] {
        let (isAccepted, isThrottled) = (answer.accepted.entries > 0, answer.throttled.entries > 0)
        if answer.failed.count + answer.exhausted.count < answer.part.records.count { batch?.isSettledInPart = true }
        let refund: [Action] = isAccepted ? [.refundRetry] : []
        guard let failure = answer.failed.last?.failure else {
            guard let failure = answer.exhausted.last, batch?.isSettledInPart == false else { return refund + ready() }
            // A stream that accepts nothing would lose its records batch after batch.
            return leave(.service(failure))
        }
        // All younger records of the batch's keys wait for these, and the stream is short of little: it accepts most, of this
        // batch too.
        let pace = batch?.pace ?? (answer.accepted.entries >= answer.throttled.entries ? limiter.pace : .rate)
        batch?.pace = pace
        let isShort = isThrottled && pace == .rate
        // A stream that accepts a part of each request accepts the whole batch in the end.
        let restart: [Action] = isThrottled && isAccepted ? [.restartRetries] : []
        return refund + restart
            + retry(
                answer.part.answered(except: answer.failed.map(\.record)),
                after: .failed(failure, isThrottled: isThrottled),
                for: .partialFailure(isShort ? .throttling : .transient)
            )
    }

    private mutating func retry(
        _ part: Batch,
        after cause: RetryCause,
        for reason: AWSServiceCaller.RetryReason
    ) -> [Action] {
        guard policy.failureRule.retriesInFlush else { return giveUp(part, after: cause) }
        state = .waiting(part, after: cause)
        return [.wait(reason)]
    }

    /// A retry was paid for and has waited; nil if none is left. It fails if the flush was cancelled.
    mutating func waited(_ result: Result<Duration?, ServiceFailure>) -> [Action] {
        guard case .waiting(let part, let cause) = state else { preconditionFailure("nothing waited") }
        switch result {
        case .success(let waited?):
            batch?.waited = waited
            batch?.parts.add(part)
            return ready()
        case .success(nil): return giveUp(part, after: cause)
        case .failure: return leave(.cancelled)
        }
    }

    /// No retry is left.
    private mutating func giveUp(_ part: Batch, after cause: RetryCause) -> [Action] {
        switch cause {
        case .unreadable(let reason):
            batch?.parts.add(part)
            let text = "\(reason) The records of \(stream) are kept and sent again later."
            return leave(.service(policy.failureRule.unreadable(text)))
        case .failed(let failure, let isThrottled):
            reportFailure(.service(failure))
            // No record of the batch was accepted: leave the stream instead of sending it more.
            if batch?.isSettledInPart == false || holdingOrder(failure) != nil { return leave(.service(failure)) }
            if isThrottled { batch?.parts = UnsentParts() }
            return ready()
        }
    }
}
