import RecorderAWS
import RecorderConcurrency
import RecorderHTTP

/// Sends one batch in one request, and says what the answer means.
struct BatchSender: Sendable {
    enum Answer: Sendable {
        /// One outcome per record, in the batch's order.
        case outcomes([Outcome])
        /// A 200 that says nothing; the records may or may not have been accepted.
        case unreadable(String)
        /// The service calls the request invalid: one of its records may be the cause.
        case refused(ServiceFailure)
        /// The request failed for a reason that is not in its records.
        case failed(ServiceFailure)
        /// No request was made.
        case notSent(RecorderError)

        /// Whether every record was accepted.
        var isDelivered: Bool {
            if case .outcomes(let outcomes) = self { outcomes.areAllDelivered } else { false }
        }
    }

    /// The answer to a batch's first request, and the retries that it took.
    struct FirstAnswer: Sendable {
        let answer: Answer
        let attempts: CallAttempts
    }

    let service: StreamServiceDescription
    let caller: AWSServiceCaller
    let buffers = RequestBuffers()
    private let limiter: InFlightByteLimiter
    private let compresses: Bool
    private let lease: SubmitLease

    init(
        _ service: StreamServiceDescription,
        caller: AWSServiceCaller,
        policy: RecorderPolicy,
        lease: SubmitLease
    ) {
        self.service = service
        self.caller = caller
        self.lease = lease
        limiter = InFlightByteLimiter(capacity: policy.inFlightBytes)
        compresses = policy.compressesRequests
    }

    /// Sends a batch for the first time, after a delay.
    func send(_ batch: Batch, after delay: Duration) async -> FirstAnswer {
        if delay > .zero {
            RecorderLog.debug("send: stream \(batch.stream) throttles: its next batch waits \(delay.text).")
            await caller.pause(delay)
        }
        var attempts = caller.attempts()
        let answer = await send(batch, attempts: &attempts)
        return FirstAnswer(answer: answer, attempts: attempts)
    }

    /// Sends a batch, or a part of one; adds the retries that this takes to `attempts`.
    func send(_ batch: Batch, attempts: inout CallAttempts) async -> Answer {
        let body = batch.request(to: service)
        await limiter.acquire(body.count)
        defer { limiter.release(body.count) }
        do throws(RecorderError) { try lease.check() } catch { return .notSent(error) }
        let start = ContinuousClock.now
        let answer = await answer(to: body, of: batch, attempts: &attempts)
        log(answer, to: batch, bytes: body.count, time: .now - start)
        return answer
    }

    private func answer(to body: [UInt8], of batch: Batch, attempts: inout CallAttempts) async -> Answer {
        do {
            let response = try await post(body, digest: batch.requestDigest, attempts: &attempts)
            switch PutAnswer(response.body, to: service, records: batch.records.count) {
            case .outcomes(let outcomes): return .outcomes(outcomes)
            case .unreadable(let reason): return .unreadable(reason)
            }
        } catch {
            return error.kind == .invalidRequest ? .refused(error) : .failed(error)
        }
    }

    private func post(
        _ body: [UInt8],
        digest: [UInt8]?,
        attempts: inout CallAttempts
    ) async throws(ServiceFailure) -> HTTPResponse {
        guard compresses, let compressed = Gzip.compress(body) else {
            let request = CallRequest(service.operation, body: body, bodyDigest: digest)
            return try await caller.call(request, attempts: &attempts)
        }
        let request = CallRequest(
            service.operation,
            body: compressed,
            headers: [HTTPHeader("Content-Encoding", "gzip")]
        )
        return try await caller.call(request, attempts: &attempts)
    }
}
