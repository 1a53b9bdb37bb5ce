import AnswerFuzzer
import RecorderAWS
import RecorderStore
import RecorderTestSupport

extension PipelineHarness {
    /// A pipeline that sends to a scripted server, if one is given.
    init(
        _ service: StreamServiceDescription = .kinesis,
        to server: LocalServer? = nil,
        url: String? = nil,
        in directory: TemporaryDirectory? = nil,
        by clock: ManualClock = ManualClock(),
        at storeDirectory: String? = nil,
        savingIn region: String? = "us-east-1",
        checksDistribution: Bool = false,
        _ adjust: (inout RecorderPolicy) -> Void = { _ in },
        calling configure: @escaping Configure = { _ in },
        whenLocating located: @escaping @Sendable () -> Void = {}
    ) throws {
        var policy = RecorderPolicy.legacy
        adjust(&policy)
        try self.init(
            service,
            url: url ?? server?.url,
            in: directory,
            at: storeDirectory,
            by: clock,
            policy: policy,
            checksDistribution: checksDistribution,
            savingIn: region,
            calling: configure,
            whenLocating: located
        )
    }

    /// The texts that another program would read from the file, in the order of the saves.
    func storedTexts() throws -> [String] { try AnswerFuzzer.storedTexts(at: path) }
}

/// The stream and the texts of a PutRecords or PutRecordBatch request.
struct ParsedPutRequest {
    let stream: String
    let texts: [String]
    let keys: [String]

    init(_ request: ReceivedRequest) {
        let body = PutRequestBody(request.body)
        stream = body.stream
        texts = body.texts
        keys = body.records.compactMap(\.partitionKey)
    }
}

extension Reply {
    /// Accepts every record of a Kinesis request, in its format, except those for which `fail` returns an error code.
    static func kinesis(_ request: ReceivedRequest, fail: (String) -> String? = { _ in nil }) -> Reply {
        let entries = ParsedPutRequest(request).texts.enumerated().map { index, text in
            fail(text).map { #"{"ErrorCode":"\#($0)","ErrorMessage":"injected failure"}"# }
                ?? #"{"SequenceNumber":"4\#(index)","ShardId":"shardId-000000000000"}"#
        }
        return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
            .encoded(for: request)
    }
}
