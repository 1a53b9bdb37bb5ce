import AWSKinesis
import Foundation
import RecordFormats
import RecorderConcurrency
import RecorderTestSupport

/// A Kinesis endpoint that keeps the texts of all accepted records, before it answers.
final class RecordingServer: Sendable {
    private let accepted: AcceptedRecords
    private let server: LocalServer

    /// Accepts everything by default. With a `faultSeed` it also fails whole requests and single records at random, and
    /// drops connections before or after it accepted a request. `refusal` is called before anything is accepted;
    /// `beforeAnswer` is called with each request's number, and may block.
    init(
        on listener: LocalSocket? = nil,
        faultSeed: UInt64? = nil,
        beforeAnswer: @escaping @Sendable (Int) -> Void = { _ in },
        refusal: @escaping @Sendable (ReceivedRequest) -> Reply? = { _ in nil }
    ) throws {
        let accepted = AcceptedRecords(faultSeed)
        self.accepted = accepted
        server = try LocalServer(on: listener) { request, index in
            let reply = refusal(request) ?? accepted.answer(request)
            beforeAnswer(index)
            return reply
        }
    }

    /// Returns once this many requests have arrived.
    func received(_ count: Int) async { await server.received(count) }

    var url: String { server.url }

    /// How many requests have arrived.
    var requestCount: Int { server.requests.count }

    /// The texts of a stream's records in the order in which they arrived.
    func texts(of stream: String) -> [String] {
        server.requests.filter { PutRequestBody($0.body).stream == stream }
            .flatMap { AcceptedRecords.entries($0).joined().map(\.text) }
    }

    /// The accepted texts, each with its number of deliveries.
    var texts: [String: Int] { accepted.counts.withLock { $0 } }

    /// The accepted records as a consumer gets them that drops repeats by their keys, and what it says is missing.
    func accounted() -> (texts: [String], gaps: [RecordAccounting.Gap]) {
        var accounting = RecordAccounting()
        let texts = accepted.records.withLock { $0 }.filter { accounting.add(partitionKey: $0.key) != .repeated }.map(
            \.text
        )
        return (texts, accounting.gaps + accounting.takeAbandonedGaps())
    }

    /// Deliveries beyond the first of each record.
    var duplicates: Int { texts.values.reduce(0) { $0 + $1 - 1 } }
}

private final class AcceptedRecords: Sendable {
    let counts = Locked<[String: Int]>([:])
    /// In the order of their arrival.
    let records = Locked<[(key: String, text: String)]>([])
    private let random: Locked<SeededRandom?>

    init(_ faultSeed: UInt64?) {
        random = Locked(faultSeed.map { SeededRandom($0) })
    }

    func answer(_ request: ReceivedRequest) -> Reply {
        let entries = Self.entries(request)
        let records = entries.flatMap(\.self)
        switch roll() {
        case 0: return .error(500, "InternalFailure")
        case 1: return .dropConnection
        case 2:
            accept(records)
            return .reset
        case 3:
            accept(entries.enumerated().filter { $0.offset % 3 > 0 }.flatMap(\.element))
            return Self.reply(entries.indices.map { $0 % 3 > 0 })
        default:
            accept(records)
            return Self.reply(entries.map { _ in true })
        }
    }

    private func roll() -> Int {
        random.withLock { random in
            guard var generator = random else { return .max }
            defer { random = generator }
            return Int.random(in: 0..<16, using: &generator)
        }
    }

    private func accept(_ new: [(key: String, text: String)]) {
        counts.withLock { counts in for (_, text) in new { counts[text, default: 0] += 1 } }
        records.withLock { $0 += new }
    }

    /// The keys and texts of the records in each entry: of one, or of those that were aggregated.
    static func entries(_ request: ReceivedRequest) -> [[(key: String, text: String)]] {
        PutRequestBody(request.body).records.map { entry in
            guard let records = AggregatedEntry.records(in: Array(entry.data)) else {
                return [(entry.partitionKey ?? "", String(decoding: entry.data, as: UTF8.self))]
            }
            return records.map { ($0.partitionKey, String(decoding: $0.data, as: UTF8.self)) }
        }
    }

    private static func reply(_ accepted: [Bool]) -> Reply {
        let entries = accepted.enumerated().map { index, isAccepted in
            isAccepted
                ? #"{"SequenceNumber":"4\#(index)","ShardId":"shardId-000000000000"}"#
                : #"{"ErrorCode":"ProvisionedThroughputExceededException","ErrorMessage":"injected failure"}"#
        }
        return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
    }
}
