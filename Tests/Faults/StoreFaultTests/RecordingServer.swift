import Foundation
import RecorderConcurrency
import RecorderTestSupport

/// A Kinesis that writes down every record it took, before it answers.
final class RecordingServer: Sendable {
    private let taken: TakenRecords
    private let server: LocalServer

    /// A kind one takes everything. A moody one also fails whole requests and single records, and hangs up before or
    /// after it took a request. `refusal` is asked before anything is taken; `beforeAnswer` is called with each request's
    /// number, and may wait.
    init(
        on listener: LocalSocket? = nil,
        moodySeed: UInt64? = nil,
        beforeAnswer: @escaping @Sendable (Int) -> Void = { _ in },
        refusal: @escaping @Sendable (ReceivedRequest) -> Reply? = { _ in nil }
    ) throws {
        let taken = TakenRecords(moodySeed)
        self.taken = taken
        server = try LocalServer(on: listener) { request, index in
            let reply = refusal(request) ?? taken.answer(request)
            beforeAnswer(index)
            return reply
        }
    }

    /// Returns once this many requests have come.
    func received(_ count: Int) async { await server.received(count) }

    var url: String { server.url }

    /// How many requests have come.
    var requestCount: Int { server.requests.count }

    /// The texts that were taken, each with how often.
    var texts: [String: Int] { taken.counts.withLock { $0 } }

    /// Deliveries beyond the first of each record.
    var duplicates: Int { texts.values.reduce(0) { $0 + $1 - 1 } }
}

private final class TakenRecords: Sendable {
    let counts = Locked<[String: Int]>([:])
    private let mood: Locked<SeededRandom?>

    init(_ moodySeed: UInt64?) {
        mood = Locked(moodySeed.map { SeededRandom($0) })
    }

    func answer(_ request: ReceivedRequest) -> Reply {
        let texts = Self.texts(request)
        switch roll() {
        case 0: return .error(500, "InternalFailure")
        case 1: return .dropConnection
        case 2:
            take(texts)
            return .reset
        case 3:
            take(texts.enumerated().filter { $0.offset % 3 > 0 }.map(\.element))
            return Self.reply(texts.indices.map { $0 % 3 > 0 })
        default:
            take(texts)
            return Self.reply(texts.map { _ in true })
        }
    }

    private func roll() -> Int {
        mood.withLock { mood in
            guard var random = mood else { return .max }
            defer { mood = random }
            return Int.random(in: 0..<16, using: &random)
        }
    }

    private func take(_ texts: [String]) {
        counts.withLock { counts in for text in texts { counts[text, default: 0] += 1 } }
    }

    private static func texts(_ request: ReceivedRequest) -> [String] {
        let json = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        let records = json?["Records"] as? [[String: String]] ?? []
        return records.map { String(decoding: Data(base64Encoded: $0["Data"] ?? "") ?? Data(), as: UTF8.self) }
    }

    private static func reply(_ taken: [Bool]) -> Reply {
        let entries = taken.enumerated().map { index, isTaken in
            isTaken
                ? #"{"SequenceNumber":"4\#(index)","ShardId":"shardId-000000000000"}"#
                : #"{"ErrorCode":"ProvisionedThroughputExceededException","ErrorMessage":"told to fail"}"#
        }
        return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
    }
}
