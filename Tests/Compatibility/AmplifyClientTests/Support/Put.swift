import Foundation
import RecorderConcurrency
import RecorderTestSupport

/// What a request to PutRecords or PutRecordBatch holds, and how to answer it.
struct Put {
    let stream: String
    let records: [Data]
    private let isKinesis: Bool

    init(_ request: ReceivedRequest) {
        let json = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        isKinesis = request.operation == "PutRecords"
        stream = json?[isKinesis ? "StreamName" : "DeliveryStreamName"] as? String ?? "?"
        let entries = json?["Records"] as? [[String: String]] ?? []
        records = entries.map { Data(base64Encoded: $0["Data"] ?? "") ?? Data() }
    }

    var texts: [String] { records.map { String(decoding: $0, as: UTF8.self) } }

    /// Takes every record but those that `code` names an error for.
    func taken(but code: (String) -> String? = { _ in nil }) -> Reply {
        let proof = isKinesis ? #"{"SequenceNumber":"1","ShardId":"shardId-0"}"# : #"{"RecordId":"1"}"#
        let entries = texts.map { text in
            code(text).map { #"{"ErrorCode":"\#($0)","ErrorMessage":"told to"}"# } ?? proof
        }
        let field = isKinesis ? "Records" : "RequestResponses"
        return .json(200, #"{"\#(field)":[\#(entries.joined(separator: ","))]}"#)
    }
}

/// A service that takes everything and remembers it.
final class TakingServer: Sendable {
    let server: LocalServer
    private let log: TakenLog

    /// `before` runs on the connection's thread before each answer.
    init(before: @escaping @Sendable (Put) -> Void = { _ in }) throws {
        let log = TakenLog()
        self.log = log
        server = try LocalServer { request, _ in
            let put = Put(request)
            before(put)
            log.texts.withLock { $0 += put.texts }
            return put.taken()
        }
    }

    var url: String { server.url }

    /// Every record that was taken, in order.
    var texts: [String] { log.texts.withLock { $0 } }

    private final class TakenLog: Sendable {
        let texts = Locked<[String]>([])
    }
}
