import RecorderAWS
import RecorderConcurrency
import RecorderStore

/// What an answer changes in the store, and what is told of it.
struct UnsettledAnswer: Sendable {
    let stream: StreamName
    let settlement: Settlement
    /// Why records failed.
    let reason: ServiceFailure?
    let throttled: Int
}

extension SettleReceipt {
    /// What is told of an answer that was settled.
    func events(after answer: UnsettledAnswer) -> [RecorderEvent] {
        let told = ServiceAnswer(
            stream: answer.stream,
            delivered: delivered,
            retried: answer.settlement.kept.count,
            throttled: answer.throttled,
            failure: answer.reason
        )
        let discarded = discards.map { discard in
            var discard = discard
            if case .rejected = discard.reason { discard.message = answer.settlement.rejection }
            return RecorderEvent.discarded(discard)
        }
        return [.answered(told)] + discarded + [.settled(progress)]
    }
}

/// Knows whether requests may be sent, and how large: their answers must be settled, or the records would be sent again and again.
/// Shared by the flushes of a pipeline.
///
/// When the disk is full between an answer and its settle:
///
/// 1. Usually nothing happens: the space for it was allocated when the records were saved (`StoreSpace`), and while space is
///    scarce a request is not larger than that allows (`largestRequest`).
/// 2. If that is not enough (a larger request was on its way, or the file system promises no space), the log is emptied, copies of
///    rejected records are given up, and the reserve beside the store is used (`StoreWriter.write`). Then failures are not counted,
///    and the answer is settled in parts, the oldest records first, which make room (`StoreWriter.settle`).
/// 3. What is still left is kept here, in memory, and nothing more is sent in this flush. The next one tries it again before it
///    sends anything; what fails once more holds back its stream from there on. So this process sends none of it again. If it
///    ends before, or another process flushes the store meanwhile, the records of this answer are sent again: they are delivered
///    twice, not lost.
///
/// After damage or an internal error of the store, only the answer's stream waits, from its first unsettled record on; any other
/// error stops all streams of this flush. A flush begins with `open`; the first one of a process, and one after an error, proves
/// with a commit of its own that it can settle.
final class SettleGuard: Sendable {
    private enum Permission {
        /// Nothing has proven that answers can be settled.
        case unproven
        /// Their answers can be settled.
        case requests(BatchRoom)
        /// Nothing may be sent, because an answer could not be settled.
        case nothing(RecorderError)
    }

    private struct State {
        var permission = Permission.unproven
        /// Answers that could not be settled, or what is left of them, in order, and why.
        var unsettled: [(answer: UnsettledAnswer, error: RecorderError)] = []

        /// What a stream, or the store, waits for after an answer that could not be settled.
        mutating func refuse(after error: RecorderError, of stream: StreamName) -> RecorderError {
            if error.isCorrupt || error.isInternal {
                return error.prefixed(
                    "Nothing more is sent to \(stream) until what the service has answered can be settled."
                )
            }
            if case .nothing(let first) = permission { return first }
            let error = error.prefixed(
                "Nothing more is sent until the store can be changed: what the service has answered is settled first."
            )
            permission = .nothing(error)
            return error
        }
    }

    private let state = Locked(State())

    /// Why nothing more is sent; nil if requests may be sent.
    var failure: RecorderError? {
        state.withLock { if case .nothing(let error) = $0.permission { error } else { nil } }
    }

    /// How large a request may be; nil if there is no limit.
    var largestRequest: StreamLoad? {
        state.withLock { if case .requests(let room) = $0.permission { room.largestRequest } else { nil } }
    }

    var hasUnsettled: Bool { state.withLock { !$0.unsettled.isEmpty } }

    /// The first sequence of a stream that the service has answered and that could not be settled; nil if there is none. Records
    /// from there on wait, so that none is sent twice.
    func firstUnsettled(of stream: StreamName) -> Int64? {
        state.withLock {
            $0.unsettled.lazy.map(\.answer).filter { $0.stream == stream }.compactMap(\.settlement.first?.sequence)
                .min()
        }
    }

    /// Why records of a stream wait for an answer to be settled; nil if none do.
    func failure(of stream: StreamName) -> RecorderError? {
        state.withLock { $0.unsettled.first { $0.answer.stream == stream }?.error }
    }

    /// Called before each request.
    func check() throws(RecorderError) {
        let permission = state.withLock(\.permission)
        switch permission {
        case .unproven: preconditionFailure("a request before it is known that its answer can be settled")
        case .requests: break
        case .nothing(let error): throw error
        }
    }

    /// Lets requests be sent if the store can be changed and has room for their answers.
    func open(_ store: RecordStore) async throws(RecorderError) {
        let isProven = state.withLock { if case .requests = $0.permission { true } else { false } }
        do throws(RecorderError) {
            let room = try await store.prepareToSettle(byCommit: !isProven)
            state.withLock { $0.permission = .requests(room) }
        } catch {
            let error = error.prefixed(
                "Nothing was sent, because what is delivered could not be removed from the store and would be sent again."
            )
            state.withLock { $0.permission = .nothing(error) }
            throw error
        }
    }

    /// Removes the answers that could not be settled, to try that again.
    func takeUnsettled() -> [UnsettledAnswer] {
        state.withLock { state in
            defer { state.unsettled = [] }
            return state.unsettled.map(\.answer)
        }
    }

    /// Applies an answer to the store. What cannot be applied is kept. `start` has the counts when the flush began.
    func settle(
        _ answer: UnsettledAnswer,
        in store: RecordStore,
        since start: StoreTotals
    ) async throws(RecorderError) -> SettleReceipt {
        do throws(RecorderError) {
            var receipt = try await store.settle(answer.settlement, flushStart: start)
            state.withLock { if case .requests = $0.permission { $0.permission = .requests(receipt.room) } }
            if let rest = receipt.rest {
                let left = UnsettledAnswer(
                    stream: answer.stream,
                    settlement: rest.settlement,
                    reason: answer.reason,
                    throttled: 0
                )
                receipt.rest?.error = keep(left, after: rest.error)
            }
            return receipt
        } catch {
            throw keep(answer, after: error)
        }
    }

    private func keep(
        _ answer: UnsettledAnswer,
        after error: RecorderError
    ) -> RecorderError {
        assert(!answer.settlement.isEmpty, "an answer that changes nothing is settled")
        return state.withLock { state in
            let error = state.refuse(after: error, of: answer.stream)
            state.unsettled.append((answer, error))
            return error
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
