import RecorderConcurrency

/// Records that are in flight together: a part of one stream.
package struct FlightRange: Sendable, Hashable {
    package let ids: ClosedRange<RecordID>
    /// The file that they were read from; nil while they are read.
    let file: StoreIdentity?

    /// Records that are about to be read.
    package init(reading ids: ClosedRange<RecordID>) {
        (self.ids, file) = (ids, nil)
    }

    /// Records of a batch, which has at least these.
    package init(from first: BatchedRecord, through last: BatchedRecord) {
        (ids, file) = (first.id...last.id, first.file)
    }

    fileprivate func contains(_ id: RecordID, of file: StoreIdentity) -> Bool {
        ids.contains(id) && (self.file ?? file) == file
    }

    fileprivate func isOf(stream: Int64, in file: StoreIdentity) -> Bool {
        ids.upperBound.stream == stream && (self.file ?? file) == file
    }
}

/// The records of this process's flushes that were read to be sent and have no settled answer yet.
///
/// A limit may discard them meanwhile. Whether they are lost is known only when the service has answered, so their discard is
/// reported then, unless the service accepted them. They are in flight from before they are read, and what a transaction removes
/// is noted under the lock with which it was committed: so no record is reported as discarded and delivered as well. (What another
/// process discards is reported at once.)
///
/// All of it knows the file: one that has replaced that of a flush may have records with the same ids.
package final class InFlightRecords: Sendable {
    /// A record that a limit discarded.
    struct Discarded: Sendable {
        let id: RecordID
        let bytes: Int
        let stream: StreamName
        let reason: Discard.Reason
    }

    private struct Key: Hashable {
        let file: StoreIdentity
        let id: RecordID
    }

    private struct StreamKey: Hashable {
        let file: StoreIdentity
        let number: Int64
    }

    private struct State {
        var ranges: [FlightRange] = []
        /// Discarded while in flight, not reported yet.
        var held: [Key: Discarded] = [:]
        /// The last record of each stream in flight that was removed. A stream's oldest records go first, so none before it is
        /// left.
        var removed: [StreamKey: RecordID] = [:]
        /// Accepted by the service, which the store could not note yet, and why a limit has discarded them, if one has.
        var accepted: [Key: Discard.Reason?] = [:]

        func contains(_ key: Key) -> Bool { ranges.contains { $0.contains(key.id, of: key.file) } }

        func contains(_ key: StreamKey) -> Bool { ranges.contains { $0.isOf(stream: key.number, in: key.file) } }

        mutating func remove(through last: RecordID, of file: StoreIdentity) {
            let stream = StreamKey(file: file, number: last.stream)
            guard contains(stream) else { return }
            removed[stream] = max(removed[stream] ?? last, last)
        }
    }

    private let state = Locked(State())

    // MARK: - flushes

    /// Records are in flight from now on. `end` must follow as often as this is called.
    package func begin(_ range: FlightRange) {
        assert(range.ids.lowerBound.stream == range.ids.upperBound.stream)
        state.withLock { $0.ranges.append(range) }
    }

    /// Nothing more is sent of these records, unless they began once more. Returns what was discarded of them meanwhile, and not
    /// delivered.
    package func end(_ range: FlightRange) -> [Discard] {
        state.withLock { state in
            guard let index = state.ranges.firstIndex(of: range) else { preconditionFailure("It did not begin.") }
            state.ranges.remove(at: index)
            for key in state.removed.keys where !state.contains(key) { state.removed[key] = nil }
            var discards: [Discard] = []
            let ended = state.held.keys.filter { range.contains($0.id, of: $0.file) && !state.contains($0) }
            for key in ended.sorted(by: { $0.id < $1.id }) {
                if let record = state.held.removeValue(forKey: key) { discards.add(record) }
            }
            return discards
        }
    }

    /// The last record of a stream that was removed while others of it were in flight: no older one is left. nil if none was.
    package func lastRemoved(beside range: FlightRange) -> RecordID? {
        guard let file = range.file else { return nil }
        return state.withLock { $0.removed[StreamKey(file: file, number: range.ids.upperBound.stream)] }
    }

    // MARK: - the writer, after a commit

    /// Returns what to report of a file's records that were discarded: those that are not in flight.
    func discard(_ records: [Discarded], of file: StoreIdentity) -> [Discard] {
        state.withLock { state in
            var discards: [Discard] = []
            for record in records {
                let key = Key(file: file, id: record.id)
                state.remove(through: record.id, of: file)
                if state.accepted[key] != nil {
                    state.accepted[key] = .some(record.reason)
                } else if state.contains(key) {
                    state.held[key] = record
                } else {
                    discards.add(record)
                }
            }
            return discards
        }
    }

    /// A stream's records through this one were cleared.
    func clear(through last: RecordID, of file: StoreIdentity) {
        state.withLock { $0.remove(through: last, of: file) }
    }

    /// All records of a file whose sequences are below `end` were cleared.
    func clear(before end: Int64, of file: StoreIdentity) {
        state.withLock { state in
            for stream in Set(state.ranges.map(\.ids.upperBound.stream)) {
                state.remove(through: RecordID(stream: stream, sequence: end).previous, of: file)
            }
        }
    }

    /// Why a record in flight, or accepted, was discarded; nil if it was not.
    func reason(of record: BatchedRecord) -> Discard.Reason? {
        let key = Key(file: record.file, id: record.id)
        return state.withLock { $0.held[key]?.reason ?? $0.accepted[key] ?? nil }
    }

    /// The service accepted these records, whatever has removed them; `isSettled` says whether the store has noted it.
    func accepted(_ records: some Sequence<BatchedRecord>, isSettled: Bool) {
        state.withLock { state in
            // As nearly always: nothing is looked up for each record.
            if isSettled, state.held.isEmpty, state.accepted.isEmpty { return }
            for record in records {
                let key = Key(file: record.file, id: record.id)
                let reason = state.held.removeValue(forKey: key)?.reason ?? state.accepted[key] ?? nil
                state.accepted[key] = isSettled ? nil : .some(reason)
            }
        }
    }
}

extension [Discard] {
    fileprivate mutating func add(_ record: InFlightRecords.Discarded) {
        add(count: 1, bytes: record.bytes, stream: record.stream, reason: record.reason)
    }
}
