import RecorderSQLite

/// The counts of one write transaction: read from row 0 at its start, updated by what it does, written at its end.
package struct StoreLedger {
    /// Records that leave, or that stay after a failure.
    struct Departures {
        var records = 0
        var bytes = 0
        var delivered = 0
        /// Entries of requests that the service accepted.
        var entries = 0
        var retried = 0
        var evicted = 0
        var expired = 0
        var rejected = 0
        var exhausted = 0
        var cleared = 0
    }

    /// Records that were counted as removed, by how.
    struct Recount: Sendable {
        var evicted = 0
        var expired = 0
        var cleared = 0

        var count: Int { evicted + expired + cleared }
    }

    /// Why records leave. No other reason removes a record from a store, and each is counted:
    ///
    /// - An entry of the service's answer proves that it took the record (`PutAnswer`): no other sign does.
    /// - It is older than the limit of age; or the store exceeds its limit of bytes and evicts, and it is the oldest of the
    ///   stream that takes the most (`StoreWriter+Limits`).
    /// - The service called the record itself invalid: by a code of `InvalidInputCodes`, by refusing it alone while it accepts
    ///   others of its stream or, without others, four times or more (`RefusedRecords`), or because its stream accepts no record
    ///   of its size (`RecordSizeCheck`). Only recorders do that; an Amplify client counts a failure instead.
    /// - It failed as often as is allowed (`RecorderPolicy.discardsAfterFailures`): in an Amplify client `maxRetries` + 1 times,
    ///   in a recorder `maximumFailures` times if that is set.
    /// - The program cleared it.
    package enum Departure: Sendable, Hashable {
        case delivered
        case discarded(Discard.Reason)
        case cleared
    }

    /// The changes of one stream's counts.
    struct StreamChange {
        let number: Int64
        var records = 0
        var bytes = 0
        /// Records saved without a key.
        var numbered = 0
        /// Those delivered under keys that do not name them.
        var unnamed = 0

        var amount: RecordAmount { RecordAmount(records: records, bytes: bytes) }
    }

    private(set) var records: Int
    private(set) var bytes: Int
    private(set) var nextSequence: Int64
    /// The bytes of all records ever saved.
    private(set) var savedBytes: Int64

    /// Records saved by this transaction.
    private(set) var arrived = 0
    /// What they take, in bytes.
    private(set) var arrivedBytes = 0
    private(set) var departed: Departures?
    /// Records that an earlier transaction counted as removed and this one counts as delivered.
    private(set) var recounted = Recount()
    /// What each stream takes, if that was needed since the store's limit was reached.
    private(set) var shares: StreamShares?
    /// The changes of each stream's counts.
    private var otherStreams: [Int64: StreamChange] = [:]
    /// The stream that was changed last; often it is the only one.
    private var lastStream = StreamChange(number: 0)

    init(records: Int, bytes: Int, nextSequence: Int64, savedBytes: Int64) {
        self.records = records
        self.bytes = bytes
        self.nextSequence = nextSequence
        self.savedBytes = savedBytes
    }

    /// Counts a new record, and returns its sequence.
    mutating func save(bytes: Int, isNumbered: Bool, to stream: Int64) -> Int64 {
        defer {
            nextSequence += 1
            savedBytes += Int64(bytes)
        }
        arrived += 1
        arrivedBytes += bytes
        count(records: 1, bytes: bytes, to: stream)
        if isNumbered { lastStream.numbered += 1 }
        return nextSequence
    }

    /// Counts records of a stream that leave for one reason.
    mutating func remove(
        records count: Int,
        bytes: Int,
        unnamed: Int = 0,
        of stream: Int64,
        as departure: Departure
    ) {
        departed = departed ?? Departures()
        departed?.add(records: count, bytes: bytes, as: departure)
        self.count(records: -count, bytes: -bytes, to: stream)
        lastStream.unnamed += unnamed
    }

    /// Counts records as delivered that an earlier transaction counted as removed.
    mutating func recountAsDelivered(_ removed: Recount) {
        departed = departed ?? Departures()
        departed?.delivered += removed.count
        departed?.evicted -= removed.evicted
        departed?.expired -= removed.expired
        departed?.cleared -= removed.cleared
        recounted.evicted += removed.evicted
        recounted.expired += removed.expired
        recounted.cleared += removed.cleared
    }

    /// Counts entries that the service accepted.
    mutating func accept(entries: Int) {
        departed = departed ?? Departures()
        departed?.entries += entries
    }

    /// Counts failures after which the records stay.
    mutating func retry(_ count: Int) {
        departed = departed ?? Departures()
        departed?.retried += count
    }

    /// Counts all records as removed.
    mutating func clear() {
        records = 0
        bytes = 0
        shares = nil
    }

    /// What is stored.
    var stored: RecordAmount { RecordAmount(records: records, bytes: bytes) }

    /// Makes `shares` known. `uses` reads what each stream took as of the last commit. Totals that are not their sum are damaged,
    /// and would evict records, or refuse them.
    mutating func loadShares(_ uses: () throws(SQLiteError) -> [Int64: RecordAmount]) throws(SQLiteError) {
        guard shares == nil else { return }
        var uses = try uses()
        for change in streams { uses[change.number, default: RecordAmount()] += change.amount }
        var all = RecordAmount()
        // A sum that is too large already could overflow.
        for use in uses.values where all.records <= records && all.bytes <= bytes { all += use }
        guard all == stored else {
            throw .contradiction("the streams' counts are not the store's", action: "reading counts")
        }
        shares = StreamShares(uses)
    }

    /// The stream that takes the most, once `shares` is known.
    mutating func largestStream() -> Int64? { shares?.largest() }

    /// The changes of the counts of each stream, by its number.
    var streams: [StreamChange] {
        (Array(otherStreams.values) + (lastStream.number > 0 ? [lastStream] : [])).sorted { $0.number < $1.number }
    }

    /// The same counts at the start of the next transaction.
    var carriedOver: StoreLedger {
        var next = StoreLedger(records: records, bytes: bytes, nextSequence: nextSequence, savedBytes: savedBytes)
        next.shares = shares
        return next
    }

    private mutating func count(records: Int, bytes: Int, to stream: Int64) {
        self.records += records
        self.bytes += bytes
        if lastStream.number != stream {
            if lastStream.number > 0 { otherStreams[lastStream.number] = lastStream }
            lastStream = otherStreams.removeValue(forKey: stream) ?? StreamChange(number: stream)
        }
        lastStream.records += records
        lastStream.bytes += bytes
        shares?.change(stream, by: RecordAmount(records: records, bytes: bytes))
    }
}

extension StoreLedger.Departures {
    fileprivate mutating func add(records count: Int, bytes: Int, as departure: StoreLedger.Departure) {
        records += count
        self.bytes += bytes
        switch departure {
        case .delivered: delivered += count
        case .discarded(.byteLimit): evicted += count
        case .discarded(.ageLimit): expired += count
        case .discarded(.rejected): rejected += count
        case .discarded(.retriesExhausted): exhausted += count
        case .cleared: cleared += count
        }
    }
}
