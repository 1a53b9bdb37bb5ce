import RecorderAWS
import RecorderConcurrency

/// What an answer changes in the store, and what is told of it.
struct UnsettledAnswer: Sendable {
    let stream: StreamName
    let settlement: Settlement
    /// The counts when the flush began that sent the batch.
    let flushStart: StoreTotals
    /// Why records failed.
    let reason: ServiceFailure?
    let throttled: Int
}

/// Knows whether what is sent can be settled: if it cannot, it would be sent again and again. Shared by the flushes of a pipeline.
///
/// The first flush proves it with a commit of its own. If an answer cannot be settled, whatever the reason, the flush sends
/// nothing more, and the next one settles that answer before it sends anything.
final class SettleGuard: Sendable {
    private struct State {
        var isProven = false
        /// Answers that could not be settled, in order.
        var unsettled: [UnsettledAnswer] = []
    }

    private let state = Locked(State())
    /// Closed once an answer could not be settled.
    let gate = SendGate()

    /// Proves at the beginning of a flush that answers can be settled. Reports what was settled of earlier answers.
    func prove(in context: FlushContext) async throws(RecorderError) -> FlushReport {
        let (unsettled, isProven) = state.withLock { state in
            defer { state.unsettled = [] }
            return (state.unsettled, state.isProven)
        }
        gate.open()
        var report = FlushReport()
        for answer in unsettled {
            var settler = BatchSettler(answer.stream, context: context)
            // If it fails, it is kept again.
            do throws(RecorderError) { try await settler.apply(answer) } catch {}
            report.add(settler.report)
        }
        try gate.check()
        guard !isProven else { return report }
        do throws(RecorderError) {
            gate.room = try await context.store.prepareToSettle()
            state.withLock { $0.isProven = true }
            return report
        } catch {
            throw error.prefixed(
                "Nothing was sent, because what is delivered could not be removed from the store and would be sent again."
            )
        }
    }

    /// Applies an answer to the store, or keeps it for the next flush.
    func settle(_ answer: UnsettledAnswer, in store: RecordStore) async throws(RecorderError) -> SettleReceipt {
        do throws(RecorderError) {
            let receipt = try await store.settle(answer.settlement, flushStart: answer.flushStart)
            gate.room = receipt.room
            return receipt
        } catch {
            state.withLock { $0.unsettled.append(answer) }
            throw gate.close(
                error.prefixed(
                    "Nothing more is sent until the store can be changed: what the service has answered is settled first."
                )
            )
        }
    }
}

extension RecorderError {
    /// The same error of the store, whose text has another sentence at its beginning.
    fileprivate func prefixed(_ sentence: String) -> RecorderError {
        guard case .storage(let text, let cause) = self else { return self }
        return .storage("\(sentence) \(text)", cause)
    }
}
