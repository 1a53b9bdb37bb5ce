import RecorderConcurrency

/// The records of this process's flushes that are in requests now.
///
/// A limit may discard them meanwhile. Whether they are lost is known only when the service has answered, so their discard is
/// reported then, unless the service accepted them. (What another process discards, and what is discarded while its request begins, is reported at once.)
final class InFlightRecords: Sendable {
    private struct State {
        /// The first and last records of each batch. A stream's records between them are in flight as well.
        var batches: [ClosedRange<RecordID>] = []
        /// Discarded while in flight, not reported yet.
        var held: [RecordID: Discard] = [:]
    }

    private let state = Locked(State())

    /// A batch is about to be sent.
    func begin(_ batch: ClosedRange<RecordID>) {
        state.withLock { $0.batches.append(batch) }
    }

    /// Nothing more is sent of a batch. Returns what was discarded of it meanwhile, and not delivered.
    func end(_ batch: ClosedRange<RecordID>) -> [Discard] {
        state.withLock { state in
            if let index = state.batches.firstIndex(of: batch) { state.batches.remove(at: index) }
            guard !state.held.isEmpty else { return [] }
            var discards: [Discard] = []
            for id in state.held.keys.filter(batch.contains) {
                guard let discard = state.held.removeValue(forKey: id) else { continue }
                for stream in discard.streams {
                    discards.add(count: discard.count, bytes: discard.bytes, stream: stream, reason: discard.reason)
                }
            }
            return discards
        }
    }

    /// Holds back the report of a discarded record if it is in flight; false if it is not.
    func hold(_ discard: Discard, of id: RecordID) -> Bool {
        state.withLock { state in
            guard state.batches.contains(where: { $0.contains(id) }) else { return false }
            state.held[id] = discard
            return true
        }
    }

    /// The service accepted a record that was removed. Returns why it was discarded here; nil if it was not.
    func release(_ id: RecordID) -> Discard.Reason? {
        state.withLock { $0.held.removeValue(forKey: id)?.reason }
    }
}
