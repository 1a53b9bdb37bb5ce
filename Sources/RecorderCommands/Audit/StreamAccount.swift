import FoundationEssentials
import RecordFormats

/// The records of one stream, by the store that saved them: ranges of ordinals, and counts.
struct StreamAccount: Sendable {
    /// One store's records in the stream.
    struct Source: Sendable, Hashable {
        let store: UInt64
        /// The stream's number in the store.
        let stream: Int64
    }

    struct Records: Sendable {
        var ordinals = OrdinalRanges()
        /// With repeats.
        var delivered = 0
        var repeated = 0
        /// When the first ones arrived; after a time whose records expired unread, the first ones since.
        var firstArrival: Date?
        /// The highest ordinal that arrived soon after that, or before it.
        var lastEarly: Int64 = -1
        /// The highest ordinal when every shard had been read once; -1 if there was none. Of higher ones, some may not have been
        /// read yet.
        var lastSettled: Int64 = -1
    }

    private(set) var sources: [Source: Records] = [:]
    /// Records without an identity: of other producers, or with keys that were given.
    private(set) var foreign = 0
    /// All records; those of an aggregated record are counted one by one.
    private(set) var records = 0
    /// When the oldest one that was read arrived.
    private(set) var oldest: Date?

    init() {}

    init(sources: [Source: Records], foreign: Int, records: Int, oldest: Date?) {
        self.sources = sources
        self.foreign = foreign
        self.records = records
        self.oldest = oldest
    }

    /// Adds records of one shard.
    mutating func add(_ page: [ShardCalls.Page.Record]) {
        var ordinals: [Source: [Int64]] = [:]
        for record in page {
            if let arrival = record.arrival { oldest = min(oldest ?? arrival, arrival) }
            if let data = record.aggregatedData, let inner = AggregatedEntry.records(in: data) {
                for user in inner { add(user.partitionKey, at: record.arrival, to: &ordinals) }
            } else {
                add(record.partitionKey, at: record.arrival, to: &ordinals)
            }
        }
        for (source, ordinals) in ordinals {
            let repeated = sources[source]?.ordinals.insert(contentsOf: ordinals) ?? 0
            sources[source]?.delivered += ordinals.count
            sources[source]?.repeated += repeated
        }
    }

    /// Notes that every shard has been read once.
    mutating func settle() {
        for source in sources.keys { sources[source]?.settle() }
    }

    /// Notes that records have expired unread since the last ones that were added.
    mutating func noteUnread() {
        for source in sources.keys { sources[source]?.noteUnread() }
    }

    private mutating func add(_ key: String, at arrival: Date?, to ordinals: inout [Source: [Int64]]) {
        records += 1
        guard let identity = RecordIdentity(partitionKey: key) else {
            foreign += 1
            return
        }
        let source = Source(store: identity.store, stream: identity.stream)
        ordinals[source, default: []].append(identity.ordinal)
        sources[source, default: Records()].noteArrival(arrival, of: identity.ordinal)
    }
}

extension StreamAccount.Records {
    /// Where the reading begins in the middle, records that arrived just before are missing among those that arrived just after.
    private static let early: TimeInterval = 300

    fileprivate mutating func settle() {
        lastSettled = ordinals.last ?? -1
    }

    fileprivate mutating func noteUnread() {
        firstArrival = nil
        lastEarly = .max
    }

    fileprivate mutating func noteArrival(_ arrival: Date?, of ordinal: Int64) {
        guard let arrival else { return }
        // The first one since records have expired unread.
        if firstArrival == nil, lastEarly == .max { lastEarly = ordinals.last ?? -1 }
        let first = min(firstArrival ?? arrival, arrival)
        firstArrival = first
        if arrival < first + Self.early { lastEarly = max(lastEarly, ordinal) }
    }
}
