import Foundation
import RecorderConcurrency
import RecorderTestSupport

/// A received request to PutRecords or PutRecordBatch, and its reply.
struct ReceivedPut {
    let stream: String
    let records: [Data]
    private let isKinesis: Bool

    init(_ request: ReceivedRequest) {
        let body = PutRequestBody(request.body)
        isKinesis = request.operation == "PutRecords"
        stream = body.stream
        records = body.records.map(\.data)
    }

    var texts: [String] { records.map { String(decoding: $0, as: UTF8.self) } }

    /// Accepts all records except those for which `code` returns an error code.
    func reply(failing code: (String) -> String? = { _ in nil }) -> Reply {
        let proof = isKinesis ? #"{"SequenceNumber":"1","ShardId":"shardId-0"}"# : #"{"RecordId":"1"}"#
        let entries = texts.map { text in
            code(text).map { #"{"ErrorCode":"\#($0)","ErrorMessage":"as the test demands"}"# } ?? proof
        }
        let field = isKinesis ? "Records" : "RequestResponses"
        return .json(200, #"{"\#(field)":[\#(entries.joined(separator: ","))]}"#)
    }
}

/// A service that accepts all records and keeps them.
final class AcceptingServer: Sendable {
    let server: LocalServer
    private let log: Log

    /// `before` runs on the connection's thread before each response.
    init(before: @escaping @Sendable (ReceivedPut) -> Void = { _ in }) throws {
        let log = Log()
        self.log = log
        server = try LocalServer { request, _ in
            let put = ReceivedPut(request)
            before(put)
            log.texts.withLock { $0 += put.texts }
            return put.reply()
        }
    }

    var url: String { server.url }

    /// All accepted records, in order.
    var texts: [String] { log.texts.withLock { $0 } }

    private final class Log: Sendable {
        let texts = Locked<[String]>([])
    }
}
