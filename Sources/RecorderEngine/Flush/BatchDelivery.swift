import RecorderAWS
import RecorderHTTP

/// Handles the answers to one stream's batches: settles what they prove, retries transient failures, bisects refused requests.
///
/// It always ends: retries are limited as long as the stream accepts nothing, and a refused batch is split only down to single
/// records.
struct BatchDelivery {
    private let stream: StreamName
    private let context: FlushContext
    /// Settles what the answers prove; used directly where nothing is sent again.
    var settler: BatchSettler

    init(_ stream: StreamName, context: FlushContext) {
        self.stream = stream
        self.context = context
        settler = BatchSettler(stream, context: context)
    }

    /// How the delivery of a batch ended, unless the stream must be left.
    enum Ending {
        case answered
        /// An entry that records share was called invalid, is in a shard where consumers drop it, or may not be sent. Its
        /// records and those without an answer stay, to be sent again in entries of their own.
        case mustBeSeparated
    }

    /// Handles the answer to a batch's first request, and sends again what must be; throws if the stream must be left.
    /// `limiter` learns the stream's rate from each answer.
    mutating func finish(
        _ batch: Batch,
        first: BatchSender.FirstAnswer,
        limiter: inout StreamRateLimiter
    ) async throws(RecorderError) -> Ending {
        var parts = UnsentParts(batch)
        do throws(RecorderError) {
            return try await finish(&parts, of: batch, first: first, limiter: &limiter)
        } catch {
            try await settler.countAttempt(error, of: parts.records)
            throw error
        }
    }

    /// How far a batch has come.
    private struct Progress {
        /// All requests of the batch share their retries, so that no record is retried more often than a single call would be.
        var attempts: CallAttempts
        /// When the last answer arrived, and how long its retry has waited since.
        var answeredAt = ContinuousClock.now
        var waited = Duration.zero
        /// Whether any record was accepted or settled otherwise.
        var isSettledInPart = false
        /// What retries wait for: the stream's pace if the first answer accepted at least as many entries as it throttled.
        var pace: StreamRateLimiter.Pace?
    }

    private mutating func finish(
        _ parts: inout UnsentParts,
        of batch: Batch,
        first: BatchSender.FirstAnswer,
        limiter: inout StreamRateLimiter
    ) async throws(RecorderError) -> Ending {
        var firstAnswer: BatchSender.Answer? = first.answer
        var progress = Progress(attempts: first.attempts)
        while let next = parts.next(
            upTo: firstAnswer == nil
                ? limiter.largestRequest(at: .now, within: context.settles.largestRequest) : nil
        ) {
            // What was removed meanwhile is not sent again.
            let removed = context.store.inFlight.lastRemoved(of: batch.range.lowerBound.stream)
            guard let part = firstAnswer == nil ? next.rest(after: removed) : next else { continue }
            let answer =
                if let firstAnswer { firstAnswer } else { await send(part, &progress, limiter: &limiter) }
            let isRetry = firstAnswer == nil
            firstAnswer = nil
            progress.answeredAt = .now
            progress.waited = .zero
            switch answer {
            case .outcomes(let outcomes):
                let settled = try await settler.settle(part, outcomes: outcomes)
                limiter.answered(
                    accepted: settled.accepted,
                    throttled: settled.throttled,
                    isRetry: isRetry,
                    at: progress.answeredAt
                )
                if let rejection = settled.sharedRejection { return sharedEntryRefused(rejection) }
                if settled.isMisplaced { return .mustBeSeparated }
                if settled.isUnproven, context.keepsOrder { throw .service(.unproven) }
                try await retry(settled, of: part, &progress, parts: &parts, pace: limiter.pace)
            case .unreadable(let reason):
                parts.add(part)
                guard try await mayRetry(.unreadable, &progress) else { throw unreadable(reason) }
            case .refused(let failure):
                if part.sharesEntries { return sharedEntryRefused(failure) }
                if let cause = settler.missingKeys(in: part, refusal: failure) {
                    parts.add(part)
                    throw .service(cause)
                }
                try await settler.bisect(part, refusal: failure, parts: &parts)
            case .failed(let failure):
                parts.add(part)
                throw failure.kind == .cancelled ? .cancelled : .service(failure)
            case .notSent(let error):
                parts.add(part)
                throw error
            case .mustBeSeparated: return .mustBeSeparated
            }
        }
        if let refusal = settler.refusalHoldingOrder { throw .service(refusal) }
        return .answered
    }

    /// Sends a part at the stream's pace. The time that a retry has waited counts for that.
    private func send(
        _ part: Batch,
        _ progress: inout Progress,
        limiter: inout StreamRateLimiter
    ) async -> BatchSender.Answer {
        let sender = context.sender
        let delay = limiter.delay(before: part.load, at: progress.answeredAt, random: sender.caller.random())
        return await sender.send(part, after: delay - progress.waited, attempts: &progress.attempts)
    }

    /// Waits to send the records of a part that failed again, if there are any.
    private mutating func retry(
        _ settled: BatchSettler.Settled,
        of part: Batch,
        _ progress: inout Progress,
        parts: inout UnsentParts,
        pace: StreamRateLimiter.Pace
    ) async throws(RecorderError) {
        if settled.failed.count < part.records.count { progress.isSettledInPart = true }
        if settled.accepted.entries > 0 { context.sender.caller.refund(&progress.attempts) }
        guard !settled.failed.isEmpty, let failure = settled.lastFailure else { return }
        let isThrottled = settled.throttled.entries > 0
        // A stream that accepts a part of each request accepts the whole batch in the end.
        if isThrottled, settled.accepted.entries > 0 { progress.attempts = context.sender.caller.attempts() }
        // All younger records of the batch's keys wait for these, and the stream is short of little: it accepts most, of this batch too.
        let pace = progress.pace ?? (settled.accepted.entries >= settled.throttled.entries ? pace : .rate)
        progress.pace = pace
        let isShort = isThrottled && pace == .rate
        if try await mayRetry(.partialFailure(isShort ? .throttling : .transient), &progress) {
            return parts.add(part.keeping(settled.failed))
        }
        settler.reportFailure(.service(failure))
        // No record of the batch was accepted: leave the stream instead of sending it more.
        guard progress.isSettledInPart, !context.keepsOrder else { throw .service(failure) }
        if isThrottled { parts.removeAll() }
    }

    private func sharedEntryRefused(_ failure: ServiceFailure) -> Ending {
        RecorderLog.error(
            "settle: stream \(stream) refused records that share an entry; each is sent in one of its own: \(failure.message)"
        )
        return .mustBeSeparated
    }

    private func mayRetry(
        _ reason: AWSServiceCaller.RetryReason,
        _ progress: inout Progress
    ) async throws(RecorderError) -> Bool {
        guard !settler.countsAttempts else { return false }
        do {
            let waited = try await context.sender.caller.waitToRetry(reason, attempts: &progress.attempts)
            progress.waited = waited ?? .zero
            return waited != nil
        } catch {
            throw .cancelled
        }
    }

    /// The error for answers that say nothing of the batch. If attempts are not counted, it is the same as for no answer.
    private func unreadable(_ reason: String) -> RecorderError {
        let text = "\(reason) The records of \(stream) are kept and sent again later."
        let kind: ServiceFailure.Kind =
            settler.countsAttempts ? .unreadable : .transport(HTTPFailure(.unreadableResponse, text))
        return .service(ServiceFailure(kind, message: text))
    }
}
