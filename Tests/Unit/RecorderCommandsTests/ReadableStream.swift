import Foundation
import RecorderConcurrency
import RecorderTestSupport

/// A Kinesis whose one stream can be read: shards, iterators and pages of records, as the audit needs them.
final class ReadableStream: Sendable {
    struct Record: Sendable {
        var key: String
        var data = "eA=="
        /// Seconds since 1970.
        var arrival = 1_700_000_000.0
    }

    struct Shard: Sendable {
        var count: Int
        var record: @Sendable (Int) -> Record
        /// Whether it was split or merged.
        var isClosed = false
        /// It is listed once this shard was read to its end.
        var parent: String?

        init(_ records: [Record], isClosed: Bool = false, parent: String? = nil) {
            self.init(count: records.count, isClosed: isClosed, parent: parent) { records[$0] }
        }

        init(
            count: Int,
            isClosed: Bool = false,
            parent: String? = nil,
            record: @escaping @Sendable (Int) -> Record
        ) {
            (self.count, self.isClosed, self.parent, self.record) = (count, isClosed, parent, record)
        }
    }

    fileprivate struct State {
        var shards: [String: Shard]
        /// Read to their end.
        var ended: Set<String> = []
        /// What happens instead of the next calls of GetRecords.
        var faults: [Reply]
        /// Why GetRecords fails from a page on.
        var failure: (afterPages: Int, reply: Reply, failed: @Sendable () -> Void)?
        var retention = 24
        /// Records that arrive when this many pages were read.
        var late: [Int: (shard: String, records: [Record])] = [:]
        /// Whose pages were read, in order.
        var pages: [String] = []
    }

    private final class Shared: Sendable {
        let state: Locked<State>

        init(_ state: State) { self.state = Locked(state) }
    }

    private let shared: Shared
    private let server: LocalServer

    /// An answer has at most `pageSize` records. The stream exists for `age` hours, and keeps records for `retention`. `faults`
    /// happen instead of the first calls of GetRecords. `late` are records that arrive once so many pages were read.
    init(
        _ shards: [String: Shard],
        pageSize: Int = 100,
        age: Double = 1,
        retention: Int = 24,
        faults: [Reply] = [],
        late: [Int: (shard: String, records: [Record])] = [:]
    ) throws {
        let shared = Shared(State(shards: shards, faults: faults, retention: retention, late: late))
        self.shared = shared
        server = try LocalServer(keepsRequests: false) { request, _ in
            let body = (try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]) ?? [:]
            return shared.state.withLock { $0.answer(request.operation ?? "", body, pageSize: pageSize, age: age) }
        }
    }

    var url: String { server.url }

    /// The shards whose pages were read, in order.
    var pages: [String] { shared.state.withLock { $0.pages } }

    /// From a page on, GetRecords fails with `reply`, and `failed` is called; with nil it works again.
    func fail(after pages: Int, with reply: Reply?, _ failed: @escaping @Sendable () -> Void = {}) {
        shared.state.withLock { $0.failure = reply.map { (pages, $0, failed) } }
    }

    /// The shard has other records.
    func replace(_ shard: String, by records: [Record]) {
        shared.state.withLock { $0.shards[shard] = Shard(records) }
    }

    /// More records arrive.
    func append(_ records: [Record], to shard: String) {
        shared.state.withLock { $0.append(records, to: shard) }
    }
}

extension ReadableStream.State {
    fileprivate mutating func append(_ records: [ReadableStream.Record], to name: String) {
        guard let shard = shards[name] else { return }
        shards[name]?.count += records.count
        shards[name]?.record = { $0 < shard.count ? shard.record($0) : records[$0 - shard.count] }
    }

    fileprivate mutating func answer(_ operation: String, _ body: [String: Any], pageSize: Int, age: Double) -> Reply {
        switch operation {
        case "DescribeStreamSummary":
            let created = Date().timeIntervalSince1970 - age * 3_600
            return .json(
                200,
                #"{"StreamDescriptionSummary":{"RetentionPeriodHours":\#(retention),"StreamCreationTimestamp":\#(created)}}"#
            )
        case "ListShards": return list(token: body["NextToken"] as? String)
        case "GetShardIterator": return iterator(body)
        case "GetRecords":
            if !faults.isEmpty { return faults.removeFirst() }
            if let failure, pages.count >= failure.afterPages {
                failure.failed()
                return failure.reply
            }
            let parts = (body["ShardIterator"] as? String ?? "").split(separator: " ")
            return page(of: String(parts[0]), from: Int(parts[1]) ?? 0, pageSize: pageSize)
        default: return .error(400, "UnknownOperationException")
        }
    }

    /// One shard an answer.
    private func list(token: String?) -> Reply {
        let names = shards.filter { $0.value.parent.map { ended.contains($0) } ?? true }.keys.sorted()
        let index = token.flatMap { Int($0) } ?? 0
        let next = index + 1 < names.count ? #","NextToken":"\#(index + 1)""# : ""
        return .json(200, #"{"Shards":[{"ShardId":"\#(names[index])"}]\#(next)}"#)
    }

    private func iterator(_ body: [String: Any]) -> Reply {
        let name = body["ShardId"] as? String ?? ""
        guard let shard = shards[name] else { return .error(400, "ResourceNotFoundException") }
        let start: Int
        switch body["ShardIteratorType"] as? String {
        case "AFTER_SEQUENCE_NUMBER": start = (Int(body["StartingSequenceNumber"] as? String ?? "") ?? 0) + 1
        case "AT_TIMESTAMP":
            let time = body["Timestamp"] as? Double ?? 0
            start = (0..<shard.count).first { shard.record($0).arrival >= time } ?? shard.count
        default: start = 0
        }
        return .json(200, #"{"ShardIterator":"\#(name) \#(start)"}"#)
    }

    private mutating func page(of name: String, from start: Int, pageSize: Int) -> Reply {
        guard let shard = shards[name] else { return .error(400, "ResourceNotFoundException") }
        let end = min(start + pageSize, shard.count)
        let records = (start..<end).map { index in
            let record = shard.record(index)
            return #"{"Data":"\#(record.data)","PartitionKey":"\#(record.key)","SequenceNumber":"\#(index)","#
                + #""ApproximateArrivalTimestamp":\#(record.arrival)}"#
        }
        let isEnd = end == shard.count
        if isEnd, shard.isClosed { ended.insert(name) }
        let next = isEnd && shard.isClosed ? "null" : #""\#(name) \#(end)""#
        let behind = isEnd ? 0 : 1_000
        pages.append(name)
        if let (shard, records) = late[pages.count] { append(records, to: shard) }
        return .json(
            200,
            #"{"Records":[\#(records.joined(separator: ","))],"NextShardIterator":\#(next),"MillisBehindLatest":\#(behind)}"#
        )
    }
}
