import RecorderAWS
import RecorderHTTP

/// Handles the answers to one stream's batches: settles what they prove, retries transient failures, bisects refused requests.
///
/// It always ends: retries are limited, and a refused batch is split only down to single records.
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

    /// Handles the answer to a batch's first request, and sends again what must be; throws if the stream must be left.
    /// `limiter` learns the stream's rate from each answer.
    mutating func finish(
        _ batch: Batch,
        first: BatchSender.FirstAnswer,
        limiter: inout StreamRateLimiter
    ) async throws(RecorderError) {
        var parts = UnsentParts(batch)
        do throws(RecorderError) {
            try await finish(&parts, of: batch, first: first, limiter: &limiter)
        } catch {
            try await settler.countAttempt(error, of: parts.records)
            throw error
        }
    }

    private mutating func finish(
        _ parts: inout UnsentParts,
        of batch: Batch,
        first: BatchSender.FirstAnswer,
        limiter: inout StreamRateLimiter
    ) async throws(RecorderError) {
        var firstAnswer: BatchSender.Answer? = first.answer
        // All requests of the batch share their retries, so that no record is retried more often than a single call
        // would be.
        var attempts = first.attempts
        while let part = parts.next() {
            let answer =
                if let firstAnswer { firstAnswer } else { await context.sender.send(part, attempts: &attempts) }
            firstAnswer = nil
            switch answer {
            case .outcomes(let outcomes):
                let now = ContinuousClock.now
                let settled = try await settler.settle(part, outcomes: outcomes)
                limiter.answered(accepted: settled.accepted, isThrottled: settled.isThrottled, at: now)
                guard !settled.failed.isEmpty, let failure = settled.lastFailure else { continue }
                let again = part.keeping(settled.failed)
                if try await mayRetry(.partialFailure(settled.isThrottled ? .throttling : .transient), &attempts) {
                    parts.add(again)
                } else {
                    settler.reportFailure(.service(failure))
                    // No record of the batch was accepted: leave the stream instead of sending it more.
                    if again.records.count == batch.records.count { throw .service(failure) }
                }
            case .unreadable(let reason):
                parts.add(part)
                guard try await mayRetry(.unreadable, &attempts) else { throw unreadable(reason) }
            case .refused(let failure):
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
            }
        }
    }

    private func mayRetry(
        _ reason: AWSServiceCaller.RetryReason,
        _ attempts: inout CallAttempts
    ) async throws(RecorderError) -> Bool {
        guard !settler.countsAttempts else { return false }
        do {
            return try await context.sender.caller.waitToRetry(reason, attempts: &attempts)
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
