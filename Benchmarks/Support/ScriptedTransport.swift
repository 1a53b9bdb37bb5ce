import RecorderHTTP

/// A service inside this process, which answers as the script says and takes no time of its own.
struct ScriptedTransport: HTTPTransport {
    let script: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        try await script(request)
    }
}

extension HTTPRequest {
    /// How many records a PutRecords request holds. Looks at every byte: not for work whose time is taken.
    var records: Int {
        // The objects in its only array; no brace can stand in base64 or in our keys.
        body.reduce(into: -1) { count, byte in
            if byte == UInt8(ascii: "{") { count += 1 }
        }
    }
}

extension HTTPResponse {
    /// The answer of a service that took every record, each with its sequence number.
    static func taken(_ records: Int) -> HTTPResponse {
        let number = "49657123456789012345678901234567890123456789012345678901"
        let entry = #"{"SequenceNumber":"\#(number)","ShardId":"shardId-000000000000"}"#
        let entries = Array(repeating: entry, count: records).joined(separator: ",")
        return HTTPResponse(status: 200, body: Array(#"{"FailedRecordCount":0,"Records":[\#(entries)]}"#.utf8))
    }
}
