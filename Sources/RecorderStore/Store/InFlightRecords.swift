import RecorderConcurrency

/// The records of this process's flushes that were read to be sent and have no settled answer yet.
///
/// A limit may discard them meanwhile. Whether they are lost is known only when the service has answered, so their discard is
/// reported then, unless the service accepted them. They are in flight from before they are read, and what a transaction removes
/// is noted under the lock with which it was committed: so no record is reported as discarded and delivered as well. (What another
/// process discards is reported at once.)
package final class InFlightRecords: Sendable {
    /// A record that a limit discarded.
    struct Discarded: Sendable {
        let id: RecordID
        let bytes: Int
        let stream: StreamName
        let reason: Discard.Reason
    }

    private struct State {
        /// The file that is open.
        var file: StoreIdentity?
        /// A stream's records from the first through the last of these ids are in flight.
        var ranges: [(ids: ClosedRange<RecordID>, file: StoreIdentity?)] = []
        /// Discarded while in flight, not reported yet.
        var held: [RecordID: Discarded] = [:]
        /// The last record of each stream in flight that was removed. A stream's oldest records go first, so none before it is left.
        var removed: [Int64: RecordID] = [:]
        /// Accepted by the service, which the store could not note yet, and why a limit has discarded them, if one has.
        var accepted: [RecordID: Discard.Reason?] = [:]

        func contains(_ id: RecordID) -> Bool { ranges.contains { $0.file == file && $0.ids.contains(id) } }

        func contains(stream: Int64) -> Bool {
            ranges.contains { $0.file == file && $0.ids.upperBound.stream == stream }
        }

        mutating func remove(through last: RecordID) {
            guard contains(stream: last.stream) else { return }
            removed[last.stream] = max(removed[last.stream] ?? last, last)
        }
    }

    private let state = Locked(State())

    // MARK: - flushes

    /// Records of these ids are about to be read. `end` must follow as often as this is called.
    package func begin(_ range: ClosedRange<RecordID>) {
        assert(range.lowerBound.stream == range.upperBound.stream)
        state.withLock { $0.ranges.append((range, $0.file)) }
    }

    /// Nothing more is sent of these records, unless they began once more. Returns what was discarded of them meanwhile, and not
    /// delivered.
    package func end(_ range: ClosedRange<RecordID>) -> [Discard] {
        state.withLock { state in
            guard let index = state.ranges.firstIndex(where: { $0.ids == range }) else {
                preconditionFailure("It did not begin.")
            }
            state.ranges.remove(at: index)
            let stream = range.upperBound.stream
            if !state.contains(stream: stream) { state.removed[stream] = nil }
            var discards: [Discard] = []
            for id in state.held.keys.filter({ range.contains($0) && !state.contains($0) }).sorted() {
                if let record = state.held.removeValue(forKey: id) { discards.add(record) }
            }
            return discards
        }
    }

    /// The last record of a stream that was removed while others of it were in flight: no older one is left. nil if none was.
    package func lastRemoved(of stream: Int64) -> RecordID? { state.withLock { $0.removed[stream] } }

    // MARK: - the writer

    /// Another file may have records with the same ids: what is in flight is not of it.
    func opened(_ file: StoreIdentity) {
        state.withLock { state in
            guard state.file != file else { return }
            (state.file, state.removed, state.accepted) = (file, [:], [:])
        }
    }

    // MARK: - after a commit

    /// Returns what to report of records that were discarded: those that are not in flight.
    func discard(_ records: [Discarded]) -> [Discard] {
        state.withLock { state in
            var discards: [Discard] = []
            for record in records {
                state.remove(through: record.id)
                if state.accepted[record.id] != nil {
                    state.accepted[record.id] = .some(record.reason)
                } else if state.contains(record.id) {
                    state.held[record.id] = record
                } else {
                    discards.add(record)
                }
            }
            return discards
        }
    }

    /// A stream's records through this one were cleared.
    func clear(through last: RecordID) {
        state.withLock { $0.remove(through: last) }
    }

    /// All records whose sequences are below `end` were cleared.
    func clear(before end: Int64) {
        state.withLock { state in
            for stream in Set(state.ranges.map(\.ids.upperBound.stream)) {
                state.remove(through: RecordID(stream: stream, sequence: end).previous)
            }
        }
    }

    /// Why a record in flight, or accepted, was discarded; nil if it was not.
    func reason(of id: RecordID) -> Discard.Reason? { state.withLock { $0.held[id]?.reason ?? $0.accepted[id] ?? nil } }

    /// The service accepted these records, whatever has removed them; `isSettled` says whether the store has noted it.
    func accepted(_ records: some Sequence<BatchedRecord>, isSettled: Bool) {
        state.withLock { state in
            // As nearly always: nothing is looked up for each record.
            if isSettled, state.held.isEmpty, state.accepted.isEmpty { return }
            for record in records where record.file == state.file {
                let reason = state.held.removeValue(forKey: record.id)?.reason ?? state.accepted[record.id] ?? nil
                state.accepted[record.id] = isSettled ? nil : .some(reason)
            }
        }
    }
}

extension [Discard] {
    fileprivate mutating func add(_ record: InFlightRecords.Discarded) {
        add(count: 1, bytes: record.bytes, stream: record.stream, reason: record.reason)
    }
}
