import RecorderSQLite

/// The counts of one write transaction: read from row 0 at its start, added to by what it does, written at its end.
///
/// Read anew each time, because another process may have written since.
struct StoreLedger {
    /// What one stream gains or loses.
    struct Change {
        var records = 0
        var bytes = 0
        var saved = 0
        var delivered = 0
        var retried = 0
        var evicted = 0
        var expired = 0
        var rejected = 0
        var exhausted = 0

        static func += (a: inout Change, b: Change) {
            a.records += b.records
            a.bytes += b.bytes
            a.saved += b.saved
            a.delivered += b.delivered
            a.retried += b.retried
            a.evicted += b.evicted
            a.expired += b.expired
            a.rejected += b.rejected
            a.exhausted += b.exhausted
        }
    }

    private(set) var records: Int
    private(set) var bytes: Int
    private(set) var nextSequence: Int64
    /// The bytes of all records ever saved.
    private(set) var savedBytes: Int64
    private(set) var changes: [Int64: Change] = [:]
    private(set) var total = Change()

    init(records: Int, bytes: Int, nextSequence: Int64, savedBytes: Int64) {
        self.records = records
        self.bytes = bytes
        self.nextSequence = nextSequence
        self.savedBytes = savedBytes
    }

    /// Counts a new record, and gives it its sequence.
    mutating func save(bytes: Int, to stream: Int64) -> Int64 {
        defer {
            nextSequence += 1
            savedBytes += Int64(bytes)
        }
        add(Change(records: 1, bytes: bytes, saved: 1), to: stream)
        return nextSequence
    }

    /// Forgets every record that is left.
    mutating func clear() {
        records = 0
        bytes = 0
    }

    mutating func add(_ change: Change, to stream: Int64) {
        records += change.records
        bytes += change.bytes
        changes[stream, default: Change()] += change
        total += change
    }
}

extension StoreLedger.Change {
    /// Records that leave undelivered.
    init(discarding count: Int, bytes: Int, for reason: Discard.Reason) {
        self.init(records: -count, bytes: -bytes)
        switch reason {
        case .byteLimit: evicted = count
        case .ageLimit: expired = count
        case .rejected: rejected = count
        case .retriesExhausted: exhausted = count
        }
    }
}
