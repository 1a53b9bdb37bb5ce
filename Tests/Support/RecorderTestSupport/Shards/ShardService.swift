import Glibc
import RecordFormats
import RecorderConcurrency
package import RecorderStore

/// An emulated Kinesis with one stream, over HTTP on a loopback port, for throughput, order and fairness.
///
/// Shards throttle entry by entry in real time. Aggregated entries are read, and their records counted.
package final class ShardService: Sendable {
    /// What goes wrong besides the shards' limits; the random numbers follow from the seed.
    package struct Faults: Sendable {
        /// The share of entries that are throttled although they fit.
        package var throttled = 0.0
        /// The share of requests whose connection is reset before any entry is accepted, and after.
        package var resetBefore = 0.0
        package var resetAfter = 0.0
        /// How long each answer takes.
        package var delay = Duration.zero
        package var seed: UInt64 = 1

        package init() {}
    }

    /// What arrived and what was accepted.
    package struct Counts: Sendable {
        package var requests = 0
        package var sent = StreamLoad()
        package var taken = StreamLoad()
        package var recordsSent = 0
        package var recordsTaken = 0
        /// Entries and records that were accepted in each second since the service started.
        package var entriesBySecond: [Int] = []
        package var recordsBySecond: [Int] = []
        /// When the last entry was accepted, since the service started.
        package var lastTaken = Duration.zero

        /// Entries sent over entries accepted.
        package var sentOverTaken: Double { Double(sent.entries) / Double(max(taken.entries, 1)) }
    }

    fileprivate struct State {
        var stream: ShardedStream
        var random: SeededRandom
        var counts = Counts()
        var order = DeliveryOrder()
    }

    /// What the server's threads share; it does not keep the server alive.
    private final class Core: Sendable {
        let state: Locked<State>

        init(_ state: State) { self.state = Locked(state) }
    }

    private let core: Core
    private let server: LocalServer
    private let start: ContinuousClock.Instant

    /// Starts a service with full buckets.
    package init(
        shards: Int,
        limits: ShardBucket.Limits = ShardBucket.Limits(),
        faults: Faults = Faults(),
        on listener: LocalSocket? = nil
    ) throws {
        let stream = ShardedStream(shards: shards, limits: limits)
        let core = Core(State(stream: stream, random: SeededRandom(faults.seed)))
        let start = ContinuousClock.now
        self.core = core
        self.start = start
        server = try LocalServer(on: listener, keepsRequests: false) { request, _ in
            let entries = PutEntryReader.entries(in: request).map { Offer($0, to: stream) }
            let reply = core.state.withLock { $0.reply(to: entries, faults, since: start) }
            if faults.delay > .zero { usleep(UInt32(faults.delay / .microseconds(1))) }
            return reply.encoded(for: request)
        }
    }

    package var url: String { server.url }

    /// Whole seconds since the service started: an index of counts by second.
    package var seconds: Int { Int((ContinuousClock.now - start) / .seconds(1)) }

    package var counts: Counts { core.state.withLock { $0.counts } }

    /// How many different records have arrived.
    package var recordsArrived: Int { core.state.withLock { $0.order.records } }

    /// The order of first deliveries.
    package var order: DeliveryOrder { core.state.withLock { $0.order } }
}

/// An entry with what is computed outside of the lock.
fileprivate struct Offer {
    let shard: Int
    let bytes: Int
    let records: [ArraySlice<UInt8>]

    init(_ entry: ShardedStream.Entry, to stream: ShardedStream) {
        shard = stream.shard(of: entry.hashKey)
        bytes = entry.bytes
        records = AggregatedEntry.records(in: entry.data)?.map(\.data) ?? [entry.data[...]]
    }
}

extension ShardService.State {
    mutating func reply(
        to entries: [Offer],
        _ faults: ShardService.Faults,
        since start: ContinuousClock.Instant
    ) -> Reply {
        counts.requests += 1
        counts.recordsSent += entries.reduce(0) { $0 + $1.records.count }
        counts.sent += StreamLoad(entries: entries.count, bytes: entries.reduce(0) { $0 + $1.bytes })
        if happens(faults.resetBefore) { return .reset }
        let now = ContinuousClock.now
        let isThrottled = entries.map { _ in happens(faults.throttled) }
        let offered = zip(entries, isThrottled).filter { !$1 }.map { (shard: $0.0.shard, bytes: $0.0.bytes) }
        var receipts = stream.put(offered, at: now)[...]
        let outcomes = zip(entries, isThrottled).map { entry, isThrottled in
            let receipt = isThrottled ? nil : receipts.popFirst() ?? nil
            if receipt != nil { accept(entry, at: now - start) }
            return (entry.shard, receipt)
        }
        return happens(faults.resetAfter) ? .reset : .putRecords(outcomes)
    }

    private mutating func happens(_ share: Double) -> Bool {
        share > 0 && Double.random(in: 0..<1, using: &random) < share
    }

    private mutating func accept(_ entry: Offer, at time: Duration) {
        counts.taken += StreamLoad(entries: 1, bytes: entry.bytes)
        counts.recordsTaken += entry.records.count
        counts.lastTaken = time
        let second = Int(time / .seconds(1))
        let missing = second + 1 - counts.entriesBySecond.count
        if missing > 0 {
            counts.entriesBySecond += Array(repeating: 0, count: missing)
            counts.recordsBySecond += Array(repeating: 0, count: missing)
        }
        counts.entriesBySecond[second] += 1
        counts.recordsBySecond[second] += entry.records.count
        for record in entry.records { order.add(record) }
    }
}

extension Reply {
    /// The answer to PutRecords: for each entry its shard, and where it was stored unless it was throttled.
    fileprivate static func putRecords(_ outcomes: [(shard: Int, receipt: ShardedStream.Receipt?)]) -> Reply {
        var body = #"{"FailedRecordCount":\#(outcomes.count { $0.receipt == nil }),"Records":["#
        for (index, outcome) in outcomes.enumerated() {
            if index > 0 { body += "," }
            let shard = ShardedStream.shardID(outcome.shard)
            if let receipt = outcome.receipt {
                body += #"{"SequenceNumber":"\#(receipt.sequenceNumber)","ShardId":"\#(shard)"}"#
            } else {
                body += #"{"ErrorCode":"ProvisionedThroughputExceededException","ErrorMessage":"Rate exceeded for "#
                body += #"shard \#(shard) in stream stream under account 111122223333."}"#
            }
        }
        return .json(200, body + "]}")
    }
}
