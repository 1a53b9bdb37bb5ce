import Foundation
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
        server.requests.map { PutRequestBody($0.body) }.filter { $0.stream == stream }.flatMap(\.texts)
    }

    /// The accepted texts, each with its number of deliveries.
    var texts: [String: Int] { accepted.counts.withLock { $0 } }

    /// Deliveries beyond the first of each record.
    var duplicates: Int { texts.values.reduce(0) { $0 + $1 - 1 } }
}

private final class AcceptedRecords: Sendable {
    let counts = Locked<[String: Int]>([:])
    private let random: Locked<SeededRandom?>

    init(_ faultSeed: UInt64?) {
        random = Locked(faultSeed.map { SeededRandom($0) })
    }

    func answer(_ request: ReceivedRequest) -> Reply {
        let texts = Self.texts(request)
        switch roll() {
        case 0: return .error(500, "InternalFailure")
        case 1: return .dropConnection
        case 2:
            accept(texts)
            return .reset
        case 3:
            accept(texts.enumerated().filter { $0.offset % 3 > 0 }.map(\.element))
            return Self.reply(texts.indices.map { $0 % 3 > 0 })
        default:
            accept(texts)
            return Self.reply(texts.map { _ in true })
        }
    }

    private func roll() -> Int {
        random.withLock { random in
            guard var generator = random else { return .max }
            defer { random = generator }
            return Int.random(in: 0..<16, using: &generator)
        }
    }

    private func accept(_ texts: [String]) {
        counts.withLock { counts in for text in texts { counts[text, default: 0] += 1 } }
    }

    private static func texts(_ request: ReceivedRequest) -> [String] {
        let json = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        let records = json?["Records"] as? [[String: String]] ?? []
        return records.map { String(decoding: Data(base64Encoded: $0["Data"] ?? "") ?? Data(), as: UTF8.self) }
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
