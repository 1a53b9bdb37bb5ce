import RecorderAWS
package import RecorderStore

/// What the service answered for each record of a request.
package enum PutAnswer: Sendable, Hashable {
    /// One outcome a record, in the order of the request.
    case outcomes([Outcome])
    /// The answer says nothing about any record; the text says why.
    case unreadable(String)

    /// Reads the body of a 200, in JSON or in CBOR.
    ///
    /// A record counts as delivered if its own entry proves it. The answer's counters and the absence of an error code prove
    /// nothing: both have been wrong.
    package init(_ body: [UInt8], to service: StreamServiceDescription, records: Int) {
        guard !CBOR.mayBeMap(body) else {
            self.init(cbor: body, to: service, records: records)
            return
        }
        var scanner = AnswerScanner(body, service: service)
        if let outcomes = scanner.outcomes(expecting: records), outcomes.count == records {
            self = .outcomes(outcomes)
            return
        }
        guard let object = JSONValue(body)?.object else {
            self = .unreadable("The service's answer is not a JSON object (\(body.count) bytes).")
            return
        }
        guard let entries = object[service.entriesField]?.list else {
            self = .unreadable("The service's answer has no \(service.entriesField).")
            return
        }
        guard entries.count == records else {
            self = .unreadable(Self.wrongCount(entries.count, of: records))
            return
        }
        self = .outcomes(entries.map { Self.outcome(of: $0.object ?? [:], service: service) })
    }

    /// The name of each entry's shard, in the order of the request; an empty one where the answer names none. Reads the whole
    /// answer, and is for requests whose entries records share.
    static func shards(_ body: [UInt8], of service: StreamServiceDescription) -> [String] {
        guard !CBOR.mayBeMap(body) else { return shards(cbor: body, of: service) }
        let entries = JSONValue(body)?.object?[service.entriesField]?.list ?? []
        return entries.map { $0.object?[shardField]?.string ?? "" }
    }

    static let shardField = "ShardId"

    static func wrongCount(_ answered: Int, of records: Int) -> String {
        "The service answered for \(answered) of \(records) entries."
    }

    private static func outcome(of entry: [String: JSONValue], service: StreamServiceDescription) -> Outcome {
        switch entry["ErrorCode"] {
        case nil, .null, .string(""): break
        case .string(let code): return Outcome(code: code, message: entry["ErrorMessage"]?.string ?? "")
        // There is a code, in an unknown form.
        default: return .unproven
        }
        if let proof = entry[service.proofField]?.string, !proof.isEmpty { return .delivered }
        return .unproven
    }
}
