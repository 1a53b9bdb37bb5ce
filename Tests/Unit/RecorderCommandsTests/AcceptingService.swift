import Foundation
import RecorderConcurrency
import RecorderTestSupport

/// A Kinesis and a Firehose that accept every record and keep the payloads in the order of arrival.
final class AcceptingService: Sendable {
    private let accepted: Accepted
    private let server: LocalServer

    /// `missing` is a stream that does not exist.
    init(missing: String? = nil) throws {
        let accepted = Accepted()
        self.accepted = accepted
        server = try LocalServer { request, _ in
            guard let missing, PutRequestBody(request.body).stream == missing else { return accepted.answer(request) }
            return .error(400, "ResourceNotFoundException")
        }
    }

    var url: String { server.url }
    var payloads: [Data] { accepted.payloads.withLock { $0 } }

    func received(_ count: Int) async { await server.received(count) }
}

private final class Accepted: Sendable {
    let payloads = Locked<[Data]>([])

    func answer(_ request: ReceivedRequest) -> Reply {
        let new = PutRequestBody(request.body).records.map(\.data)
        payloads.withLock { $0 += new }
        let entries = new.map { _ in #"{"SequenceNumber":"1","ShardId":"s","RecordId":"1"}"# }.joined(separator: ",")
        let names =
            request.operation == "PutRecords"
            ? ("FailedRecordCount", "Records") : ("FailedPutCount", "RequestResponses")
        return .json(200, #"{"\#(names.0)":0,"\#(names.1)":[\#(entries)]}"#).encoded(for: request)
    }
}
