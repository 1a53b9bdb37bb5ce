import Foundation
import RecordFormats
import RecorderConcurrency

/// A Kinesis with one stream of several shards that can distribute entries by itself, and a consumer built on the KCL: it drops an
/// aggregated entry with a record whose hash key is not in the shard that the entry came from.
package final class DistributedStream: Sendable {
    package struct Shard: Sendable {
        package let name: String
        package let hashKeys: ClosedRange<UInt128>
    }

    package struct State: Sendable {
        /// Whether the strategy is AUTO: entries go to the shards in turn.
        package var isAutomatic = false
        /// What the summary says; nil for the truth.
        package var says: String?
        /// Answers instead of those of DescribeStreamSummary and ListShards, and of PutRecords where it is not nil.
        package var summary: Reply?
        package var list: Reply?
        package var put: @Sendable (_ number: Int) -> Reply? = { _ in nil }
        /// Happens before the put with this number, counted from 0.
        package var changes: [Int: @Sendable (inout State) -> Void] = [:]
        package var shards: [Shard] = []
        package fileprivate(set) var operations: [String] = []
        /// How often the consumer got each record.
        package fileprivate(set) var consumed: [String: Int] = [:]
        /// Records that it dropped.
        package fileprivate(set) var dropped = 0
        /// Entries that several records share.
        package fileprivate(set) var sharedEntries = 0
        /// Those that came after an answer that shows that the stream distributes them.
        package fileprivate(set) var sharedEntriesAfterAnswer = 0
        fileprivate var hasShown = false
        fileprivate var puts = 0
        fileprivate var turn = 0
        fileprivate var generation = 0
    }

    private let core: SharedState
    private let server: LocalServer

    package init(shards: Int = 4, _ adjust: (inout State) -> Void = { _ in }) throws {
        var state = State()
        state.reshard(to: shards)
        adjust(&state)
        let core = SharedState(state)
        self.core = core
        server = try LocalServer(keepsRequests: false) { request, _ in
            core.state.withLock { $0.answer(request) }.encoded(for: request)
        }
    }

    package var url: String { server.url }

    package var state: State { core.state.withLock { $0 } }

    package func change(_ change: (inout State) -> Void) { core.state.withLock { change(&$0) } }
}

/// A reference to what the server's script and the stream share.
private final class SharedState: Sendable {
    let state: Locked<DistributedStream.State>

    init(_ state: DistributedStream.State) { self.state = Locked(state) }
}

extension DistributedStream.State {
    /// How often an operation was called.
    package func count(of operation: String) -> Int { operations.count { $0 == operation } }

    /// The number of different records that the consumer got.
    package var records: Int { consumed.count }
    /// What it got more than once.
    package var repeats: Int { consumed.values.reduce(0) { $0 + $1 - 1 } }

    /// Deletes the stream, and creates it again: its shards are numbered from the beginning.
    package mutating func recreate(with count: Int) {
        generation = 0
        reshard(to: count)
    }

    /// Replaces all shards by others of equal size.
    package mutating func reshard(to count: Int) {
        generation += 1
        let size = UInt128.max / UInt128(count)
        shards = (0..<count).map { index in
            let start = size * UInt128(index)
            return DistributedStream.Shard(
                name: "shardId-\(String(format: "%012d", generation * 1_000 + index))",
                hashKeys: start...(index == count - 1 ? UInt128.max : start + size - 1)
            )
        }
    }

    fileprivate mutating func answer(_ request: ReceivedRequest) -> Reply {
        let operation = request.operation ?? ""
        operations.append(operation)
        switch operation {
        case "PutRecords": return put(request)
        case "DescribeStreamSummary":
            if let summary { return summary }
            if isAutomatic, says == nil { hasShown = true }
            let strategy = says ?? (isAutomatic ? "AUTO" : "USER_PARTITION_KEY")
            return .json(
                200,
                #"{"StreamDescriptionSummary":{"StreamName":"stream","RecordDistributionStrategy":"\#(strategy)"}}"#
            )
        case "ListShards": return list ?? page(after: request.text)
        default: return .error(400, "UnknownOperationException")
        }
    }

    /// Two shards a page.
    private func page(after body: String) -> Reply {
        let start = body.firstMatch(of: /"NextToken":"(\d+)"/).flatMap { Int($0.1) } ?? 0
        let page = shards[start..<min(start + 2, shards.count)].map { shard in
            #"{"ShardId":"\#(shard.name)","HashKeyRange":{"StartingHashKey":"\#(shard.hashKeys.lowerBound)","#
                + #""EndingHashKey":"\#(shard.hashKeys.upperBound)"}}"#
        }
        let token = start + 2 < shards.count ? #","NextToken":"\#(start + 2)""# : ""
        return .json(200, #"{"Shards":[\#(page.joined(separator: ","))]\#(token)}"#)
    }

    private mutating func put(_ request: ReceivedRequest) -> Reply {
        changes.removeValue(forKey: puts)?(&self)
        puts += 1
        if let reply = put(puts - 1) { return reply }
        let wasShown = hasShown
        let answers = PutEntryReader.entries(in: request).map { entry in
            let (shard, isMisplaced) = accept(entry, wasShown: wasShown)
            if isMisplaced { hasShown = true }
            return #"{"SequenceNumber":"4\#(puts)","ShardId":"\#(shard.name)"}"#
        }
        return .json(200, #"{"FailedRecordCount":0,"Records":[\#(answers.joined(separator: ","))]}"#)
    }

    private mutating func accept(_ entry: ShardedStream.Entry, wasShown: Bool) -> (DistributedStream.Shard, Bool) {
        turn += 1
        let index = isAutomatic ? turn % shards.count : shards.firstIndex { $0.hashKeys.contains(entry.hashKey) } ?? 0
        let shard = shards[index]
        guard let records = AggregatedEntry.records(in: entry.data) else {
            consumed[String(decoding: entry.data, as: UTF8.self), default: 0] += 1
            return (shard, false)
        }
        sharedEntries += 1
        if wasShown { sharedEntriesAfterAnswer += 1 }
        let isInPlace = records.allSatisfy { record in
            let hashKey = record.explicitHashKey.flatMap { UInt128($0) }
            return shard.hashKeys.contains(hashKey ?? ShardedStream.Entry.hash(of: record.partitionKey))
        }
        if isInPlace {
            for record in records { consumed[String(decoding: record.data, as: UTF8.self), default: 0] += 1 }
        } else {
            dropped += records.count
        }
        return (shard, !isInPlace)
    }
}
