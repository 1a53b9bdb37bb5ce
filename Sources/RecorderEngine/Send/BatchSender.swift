import RecorderAWS
import RecorderHTTP

/// Sends one batch in one request, and says what the answer means.
struct BatchSender: Sendable {
    enum Answer: Sendable {
        /// One outcome a record, in the batch's order.
        case outcomes([Outcome])
        /// A 200 that proves nothing; the batch may or may not have been taken.
        case unreadable(String)
        /// The service calls the request invalid: one of its records may be to blame.
        case refused(ServiceFailure)
        /// The request failed for a reason that lies with no record.
        case failed(ServiceFailure)
        /// No request was made.
        case notSent(RecorderError)
    }

    /// The answer to a batch's first request, and the retries that it took.
    struct Sent: Sendable {
        let answer: Answer
        let attempts: CallAttempts
    }

    let service: StreamServiceDescription
    let caller: AWSServiceCaller
    let budget: InFlightByteLimiter
    let buffers = RequestBuffers()
    let compresses: Bool
    private let lease: SubmitLease

    init(
        _ service: StreamServiceDescription,
        _ caller: AWSServiceCaller,
        _ policy: RecorderPolicy,
        _ lease: SubmitLease
    ) {
        self.lease = lease
        self.service = service
        self.caller = caller
        budget = InFlightByteLimiter(policy.bytesOnTheirWay)
        compresses = policy.compressesRequests
    }

    /// Sends a batch for the first time, after a wait.
    func send(_ batch: Batch, after wait: Duration) async -> Sent {
        if wait > .zero {
            PipelineLog.waits(batch, wait)
            await caller.pause(wait)
        }
        var attempts = caller.attempts()
        let answer = await send(batch, &attempts)
        return Sent(answer: answer, attempts: attempts)
    }

    /// Sends a batch, or a part of one, once more; the retries that this takes are added to `attempts`.
    func send(_ batch: Batch, _ attempts: inout CallAttempts) async -> Answer {
        let body = batch.request(to: service)
        await budget.take(body.count)
        defer { budget.give(body.count) }
        do throws(RecorderError) { try lease.check() } catch { return .notSent(error) }
        let start = ContinuousClock.now
        let answer = await send(body, batch.requestDigest, records: batch.records.count, &attempts)
        PipelineLog.sent(batch, service, bytes: body.count, answer, .now - start)
        return answer
    }

    private func send(
        _ body: [UInt8],
        _ digest: [UInt8]?,
        records: Int,
        _ attempts: inout CallAttempts
    ) async -> Answer {
        do {
            let response = try await post(body, digest, &attempts)
            switch PutReply(response.body, to: service, records: records) {
            case .outcomes(let outcomes): return .outcomes(outcomes)
            case .unreadable(let reason): return .unreadable(reason)
            }
        } catch {
            return error.kind == .invalidRequest ? .refused(error) : .failed(error)
        }
    }

    private func post(
        _ body: [UInt8],
        _ digest: [UInt8]?,
        _ attempts: inout CallAttempts
    ) async throws(ServiceFailure) -> HTTPResponse {
        guard compresses, let small = Gzip.compress(body) else {
            return try await caller.call(service.operation, body: body, bodyDigest: digest, headers: [], &attempts)
        }
        return try await caller.call(
            service.operation,
            body: small,
            headers: [HTTPHeader("Content-Encoding", "gzip")],
            &attempts
        )
    }
}
