import RecorderAWS
import RecorderConcurrency
import RecorderStore

/// Performs the actions of a `StreamDelivery` in order, and tells it what came of each.
struct DeliveryLoop {
    private let context: FlushContext
    var delivery: StreamDelivery
    /// All requests of a batch share their retries, so that no record is retried more often than a single call would be.
    private var attempts: CallAttempts

    init(_ stream: StreamName, context: FlushContext, limiter: StreamRateLimiter = StreamRateLimiter()) {
        self.context = context
        delivery = StreamDelivery(stream, to: context.sender.service, policy: context.policy, limiter: limiter)
        attempts = context.sender.caller.attempts()
    }

    /// Delivers a batch whose first request was answered.
    mutating func deliver(_ batch: Batch, first: BatchSender.FirstAnswer) async -> StreamDelivery.Ending {
        attempts = first.attempts
        delivery.begin(batch, at: SystemTime.now)
        return await perform { $0.answered(first.answer, at: SystemTime.now) }
    }

    /// Performs an event's actions until the delivery says that it has ended.
    @discardableResult
    mutating func perform(_ event: (inout StreamDelivery) -> [StreamDelivery.Action]) async -> StreamDelivery.Ending {
        let caller = context.sender.caller
        var actions = event(&delivery)[...]
        while let action = actions.popFirst() {
            switch action {
            case .next(let stream):
                actions += delivery.next(
                    at: SystemTime.now,
                    room: context.settles.largestRequest,
                    removed: context.store.inFlight.lastRemoved(of: stream)
                )
            case .send(let part):
                let delay = delivery.delay(before: part, random: caller.random())
                let answer = await context.sender.send(part, after: delay, attempts: &attempts)
                actions += delivery.answered(answer, at: SystemTime.now)
            case .lookUp:
                let settings = await context.sender.lookups.settings(of: delivery.stream, asking: context.sender)
                actions += delivery.lookedUp(settings?.maximumRecordBytes)
            case .settle(let answer): actions += delivery.settled(await settle(answer))
            case .wait(let reason): actions += delivery.waited(await wait(reason))
            case .refundRetry: caller.refund(&attempts)
            case .restartRetries: attempts = caller.attempts()
            case .log(let text): RecorderLog.error(text)
            case .end(let ending): return ending
            }
        }
        preconditionFailure("a delivery stopped without an end")
    }

    private func settle(_ answer: UnsettledAnswer) async -> Result<SettleReceipt, RecorderError> {
        do throws(RecorderError) {
            let receipt = try await context.settles.settle(answer, in: context.store, since: context.totalsAtStart)
            RecorderLog.verbose(
                "settle: stream \(answer.stream): \(receipt.delivered) delivered, \(answer.settlement.kept.count) failed and "
                    + "kept, \(receipt.discarded) discarded."
            )
            for event in receipt.events(after: answer) { context.emit(event) }
            return .success(receipt)
        } catch {
            return .failure(error)
        }
    }

    private mutating func wait(_ reason: AWSServiceCaller.RetryReason) async -> Result<Duration?, ServiceFailure> {
        do {
            return .success(try await context.sender.caller.waitToRetry(reason, attempts: &attempts))
        } catch {
            return .failure(error)
        }
    }
}
