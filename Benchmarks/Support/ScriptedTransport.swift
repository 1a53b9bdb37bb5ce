import RecorderHTTP

/// A service inside this process that answers as scripted and takes almost no time.
struct ScriptedTransport: HTTPTransport {
    let script: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        try await script(request)
    }
}

extension HTTPRequest {
    /// The number of records in a PutRecords request. Scans every byte, so not for use in measured code.
    var records: Int {
        // The objects in its only array; base64 and our keys contain no braces.
        body.reduce(into: -1) { count, byte in
            if byte == UInt8(ascii: "{") { count += 1 }
        }
    }
}

extension HTTPResponse {
    /// The answer of a service that accepted every record, each with its sequence number.
    static func accepted(_ records: Int) -> HTTPResponse {
        let number = "49657123456789012345678901234567890123456789012345678901"
        let entry = #"{"SequenceNumber":"\#(number)","ShardId":"shardId-000000000000"}"#
        let entries = Array(repeating: entry, count: records).joined(separator: ",")
        return HTTPResponse(status: 200, body: Array(#"{"FailedRecordCount":0,"Records":[\#(entries)]}"#.utf8))
    }
}
