import RecorderSQLite

/// The counts of one write transaction: as row 0 has them at its start, added to by what it does, written at its end.
struct StoreLedger {
    /// What leaves, or stays after a failure.
    struct Departures {
        var records = 0
        var bytes = 0
        var delivered = 0
        var retried = 0
        var evicted = 0
        var expired = 0
        var rejected = 0
        var exhausted = 0
    }

    private(set) var records: Int
    private(set) var bytes: Int
    private(set) var nextSequence: Int64
    /// The bytes of all records ever saved.
    private(set) var savedBytes: Int64

    /// Records that this transaction saved.
    private(set) var arrived = 0
    /// What they take.
    private(set) var arrivedBytes = 0
    private(set) var departed: Departures?
    /// Records that an earlier transaction counted as discarded and this one as delivered.
    private(set) var takenBack: (evicted: Int, expired: Int) = (0, 0)
    /// What each stream has more or less.
    private var otherStreams: [Int64: (records: Int, bytes: Int)] = [:]
    /// The stream that was touched last; mostly it is the only one.
    private var lastStream: (number: Int64, records: Int, bytes: Int) = (0, 0, 0)

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
        arrived += 1
        arrivedBytes += bytes
        count(records: 1, bytes: bytes, to: stream)
        return nextSequence
    }

    /// Counts records of a stream that leave for one reason.
    mutating func remove(_ count: Int, bytes: Int, of stream: Int64, as leaving: Settlement.Leaving) {
        departed = departed ?? Departures()
        departed?.add(count, bytes, leaving)
        self.count(records: -count, bytes: -bytes, to: stream)
    }

    /// Counts records as delivered that were counted as discarded by an earlier transaction.
    mutating func deliverDiscarded(evicted: Int, expired: Int) {
        departed = departed ?? Departures()
        departed?.delivered += evicted + expired
        departed?.evicted -= evicted
        departed?.expired -= expired
        takenBack.evicted += evicted
        takenBack.expired += expired
    }

    /// Counts failures after which the records stay.
    mutating func retry(_ count: Int) {
        departed = departed ?? Departures()
        departed?.retried += count
    }

    /// Forgets every record that is left.
    mutating func clear() {
        records = 0
        bytes = 0
    }

    /// What each stream that was touched has more or less.
    var streams: [(number: Int64, records: Int, bytes: Int)] {
        otherStreams.map { ($0.key, $0.value.records, $0.value.bytes) } + (lastStream.number > 0 ? [lastStream] : [])
    }

    /// The same counts at the start of the next transaction.
    var carriedOver: StoreLedger {
        StoreLedger(records: records, bytes: bytes, nextSequence: nextSequence, savedBytes: savedBytes)
    }

    private mutating func count(records: Int, bytes: Int, to stream: Int64) {
        self.records += records
        self.bytes += bytes
        if lastStream.number != stream {
            if lastStream.number > 0 { otherStreams[lastStream.number] = (lastStream.records, lastStream.bytes) }
            let earlier = otherStreams.removeValue(forKey: stream) ?? (0, 0)
            lastStream = (stream, earlier.records, earlier.bytes)
        }
        lastStream.records += records
        lastStream.bytes += bytes
    }
}

extension StoreLedger.Departures {
    fileprivate mutating func add(_ count: Int, _ bytes: Int, _ leaving: Settlement.Leaving) {
        records += count
        self.bytes += bytes
        switch leaving {
        case .delivered: delivered += count
        case .discarded(.byteLimit): evicted += count
        case .discarded(.ageLimit): expired += count
        case .discarded(.rejected): rejected += count
        case .discarded(.retriesExhausted): exhausted += count
        }
    }
}
