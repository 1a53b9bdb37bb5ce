import RecordFormats
import RecorderTestSupport

/// An entry of a request, and the records in it.
struct SentEntry: Equatable {
    let key: String?
    let bytes: Int
    let texts: [String]
    let keys: [String]
    let hashKeys: Set<String>

    /// The entries of a request, aggregated or not.
    static func all(in request: ReceivedRequest) -> [SentEntry] {
        PutRequestBody(request.body).records.map { record in
            let records = AggregatedEntry.records(in: Array(record.data))
            return SentEntry(
                key: record.partitionKey,
                bytes: record.data.count,
                texts: records?.map { String(decoding: $0.data, as: UTF8.self) }
                    ?? [String(decoding: record.data, as: UTF8.self)],
                keys: records?.map(\.partitionKey) ?? [record.partitionKey ?? ""],
                hashKeys: Set((records ?? []).compactMap(\.explicitHashKey))
            )
        }
    }

    /// Whether several records share it.
    var isShared: Bool { texts.count > 1 }
}

extension Reply {
    /// Accepts every entry of a request but those for which `fail` returns an error code.
    static func entries(_ request: ReceivedRequest, fail: (SentEntry) -> String? = { _ in nil }) -> Reply {
        let answers = SentEntry.all(in: request).enumerated().map { index, entry in
            fail(entry).map { #"{"ErrorCode":"\#($0)","ErrorMessage":"injected failure"}"# }
                ?? #"{"SequenceNumber":"4\#(index)","ShardId":"shardId-000000000000"}"#
        }
        return .json(200, #"{"Records":[\#(answers.joined(separator: ","))]}"#).encoded(for: request)
    }
}
