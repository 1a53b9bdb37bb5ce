import RecorderAWS
import RecorderConcurrency
import RecorderHTTP
import RecorderStore

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
        /// No request was made: records share its entries, and no longer may.
        case mustBeSeparated

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
    private let byteRate: ByteRateLimiter
    let lookups: StreamLookups
    private let assumesDistributionByKey: Bool
    private let bytesPerSecond: Int?
    private let compresses: Bool
    private let wantedFormat: RequestFormat
    private let lease: SubmitLease
    private let settles: SettleGuard

    init(
        _ service: StreamServiceDescription,
        caller: AWSServiceCaller,
        policy: RecorderPolicy,
        byteRate: ByteRateLimiter,
        lookups: StreamLookups,
        lease: SubmitLease,
        settles: SettleGuard
    ) {
        self.service = service
        self.caller = caller
        self.lease = lease
        self.settles = settles
        limiter = InFlightByteLimiter(capacity: policy.inFlightBytes)
        self.byteRate = byteRate
        self.lookups = lookups
        assumesDistributionByKey = policy.assumesDistributionByKey || !service.sendsPartitionKey
        bytesPerSecond = policy.maximumBytesPerSecond
        compresses = policy.compressesRequests
        wantedFormat = service.requestFormats.contains(policy.requestFormat) ? policy.requestFormat : .json
    }

    /// How the next batch is to be encoded.
    var format: RequestFormat { wantedFormat == .json || caller.maySendCBOR ? wantedFormat : .json }

    /// Sends a batch for the first time, after a delay.
    func send(_ batch: Batch, after delay: Duration) async -> FirstAnswer {
        var attempts = caller.attempts()
        let answer = await send(batch, after: delay, attempts: &attempts)
        return FirstAnswer(answer: answer, attempts: attempts)
    }

    /// Sends a batch, or a part of one, after a delay; adds the retries that this takes to `attempts`.
    ///
    /// If the endpoint does not understand CBOR, the same records are sent in JSON at once, with the retries that were left
    /// before.
    func send(_ batch: Batch, after delay: Duration, attempts: inout CallAttempts) async -> Answer {
        if delay > .zero {
            RecorderLog.debug("send: stream \(batch.stream) throttles: its next request waits \(delay.text).")
            await caller.pause(delay)
        }
        let before = attempts
        let first = await exchange(batch, in: batch.format == .json ? .json : format, attempts: &attempts)
        guard first.fallsBack else { return first.answer }
        attempts = before
        return await exchange(batch, in: .json, attempts: &attempts).answer
    }

    private struct Exchange {
        let answer: Answer
        /// Whether the endpoint does not understand the format, and the answer means nothing else.
        var fallsBack = false
    }

    private func exchange(_ batch: Batch, in format: RequestFormat, attempts: inout CallAttempts) async -> Exchange {
        let body = batch.request(to: service, in: format)
        await limiter.acquire(body.count)
        defer { limiter.release(body.count) }
        let compressed = compresses ? Gzip.compress(body) : nil
        let size = (compressed ?? body).count
        await waitForRate(size)
        let before = attempts.retries
        defer { countRetries(attempts.retries - before, bytes: size) }
        do throws(RecorderError) {
            try lease.check()
            try settles.check()
        } catch {
            return Exchange(answer: .notSent(error))
        }
        guard !batch.sharesEntries || lookups.stillMayShare(batch.stream) else {
            return Exchange(answer: .mustBeSeparated)
        }
        let start = SystemTime.now
        let exchange: Exchange
        do {
            let response = try await post(batch, body, compressed: compressed, in: format, attempts: &attempts)
            exchange = await read(response.body, batch: batch, in: format)
        } catch {
            if error.kind == .invalidRequest { lookups.doubt(batch.stream, because: .changed) }
            exchange = Exchange(
                answer: error.kind == .invalidRequest ? .refused(error) : .failed(error),
                fallsBack: format == .cbor && caller.fallsBack(after: error)
            )
        }
        if !exchange.fallsBack { log(exchange.answer, to: batch, bytes: body.count, time: SystemTime.now - start) }
        return exchange
    }

    /// Reads the body of a 200. What it says of the records holds in any format: they are not sent again.
    private func read(_ body: [UInt8], batch: Batch, in format: RequestFormat) async -> Exchange {
        let answersInJSON = format == .cbor && body.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "{")
        let fallsBack = answersInJSON && caller.fallsBackAfterJSON()
        switch PutAnswer(body, to: service, records: batch.entryCount) {
        case .outcomes(let outcomes):
            if format == .cbor, !answersInJSON { caller.noteCBORUnderstood() }
            let placed = await checkPlaces(outcomes, of: batch, in: body)
            return Exchange(answer: .outcomes(batch.outcomes(ofEntries: placed)))
        case .unreadable(let reason): return Exchange(answer: .unreadable(reason), fallsBack: fallsBack)
        }
    }

    /// Entries that records share are delivered only if they are in the shard that holds their key: elsewhere consumers built on
    /// the KCL drop them.
    private func checkPlaces(_ outcomes: [Outcome], of batch: Batch, in body: [UInt8]) async -> [Outcome] {
        guard batch.sharesEntries, !assumesDistributionByKey else { return outcomes }
        let shards = PutAnswer.shards(body, of: service)
        var accepted: [(index: Int, hashKey: UInt128, shard: String)] = []
        for (index, hashKey) in batch.hashKeys.enumerated() {
            guard let hashKey, case .delivered = outcomes[index] else { continue }
            accepted.append((index, hashKey, shards.indices.contains(index) ? shards[index] : ""))
        }
        guard !accepted.isEmpty else { return outcomes }
        let places = await lookups.areInPlace(
            accepted.map { ($0.hashKey, $0.shard) },
            of: batch.stream,
            asking: self
        )
        var outcomes = outcomes
        for (entry, isInPlace) in zip(accepted, places) where !isInPlace { outcomes[entry.index] = .misplaced }
        return outcomes
    }

    private func post(
        _ batch: Batch,
        _ body: [UInt8],
        compressed: [UInt8]?,
        in format: RequestFormat,
        attempts: inout CallAttempts
    ) async throws(ServiceFailure) -> HTTPResponse {
        let request = CallRequest(
            service.operation,
            body: compressed ?? body,
            context: service.context(of: batch.stream),
            bodyDigest: compressed == nil ? batch.requestDigest(in: format) : nil,
            format: format,
            headers: compressed == nil ? [] : [HTTPHeader("Content-Encoding", "gzip")]
        )
        return try await caller.call(request, attempts: &attempts)
    }

    /// Waits until so many bytes may be sent. That is before they are signed: a signature is valid for some minutes only.
    private func waitForRate(_ bytes: Int) async {
        guard let bytesPerSecond else { return }
        let delay = byteRate.delay(before: bytes, bytesPerSecond: bytesPerSecond, at: caller.instant)
        if delay > .zero { await caller.pause(delay) }
        // A cancelled call sends nothing.
        if Task.isCancelled { byteRate.release(bytes, bytesPerSecond: bytesPerSecond) }
    }

    private func countRetries(_ retries: Int, bytes: Int) {
        guard let bytesPerSecond, retries > 0 else { return }
        byteRate.count(retries * bytes, bytesPerSecond: bytesPerSecond, at: caller.instant)
    }
}
