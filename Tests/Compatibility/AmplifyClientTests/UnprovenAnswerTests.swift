import AmplifyRecordCache
import RecorderTestSupport
import Testing

/// Responses that do not cover all records, and error pages of proxies: reported by `flush()` or `events()`, never counted.
@Suite(.timeLimit(.minutes(10))) struct UnprovenAnswerTests {
    @Test(arguments: ClientKind.allCases)
    func `repeated responses with too few entries are errors of each flush, and the other streams are sent`(
        kind: ClientKind
    ) async throws {
        let short = kind == .kinesis ? "Records" : "RequestResponses"
        let proof = kind == .kinesis ? "SequenceNumber" : "RecordId"
        let server = try LocalServer { request, _ in
            let put = ReceivedPut(request)
            guard put.stream == "short" else { return put.reply() }
            return .json(200, #"{"\#(short)":[{"\#(proof)":"1"},{"\#(proof)":"2"}]}"#)
        }
        let client = try TestClient(kind, to: server.url) { $0.maxRetries = 0 }
        let events = client.events()
        for text in ["1", "2", "3"] { try await client.record(text, to: "short") }
        for round in 0..<10 {
            try await client.record("\(round)", to: "fine")
            let error = await ClientError.thrown { try await client.flush() }
            #expect(error?.kind == .unknown && error?.underlying != nil)
            for word in ["short", "2 of 3", "no attempt"] {
                #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
            }
        }
        #expect(
            server.requests.filter { ReceivedPut($0).stream == "fine" }.map { ReceivedPut($0).texts }
                == (0..<10).map { ["\($0)"] }
        )
        let retried = await events.collect(10) { if case .retried = $0 { true } else { false } }
        for case .retried(let records, let stream, let reason) in retried {
            #expect(records == 3 && stream == "short" && reason.contains("2 of 3"))
        }
        #expect(try await client.clear() == 3)
    }

    @Test(arguments: ClientKind.allCases, ["{}", "null", #"{"ErrorCode":7}"#])
    func `an entry without proof of delivery is an error, its neighbours are delivered`(
        kind: ClientKind,
        entry: String
    ) async throws {
        let field = kind == .kinesis ? "Records" : "RequestResponses"
        let proof = kind == .kinesis ? "SequenceNumber" : "RecordId"
        let server = try LocalServer { request, _ in
            let entries = ReceivedPut(request).texts.map { $0 == "odd" ? entry : #"{"\#(proof)":"1"}"# }
            return .json(200, #"{"\#(field)":[\#(entries.joined(separator: ","))]}"#)
        }
        let client = try TestClient(kind, to: server.url) { $0.maxRetries = 0 }
        let events = client.events()
        try await client.record("odd")
        for _ in 0..<3 {
            try await client.record("fine")
            let error = await ClientError.thrown { try await client.flush() }
            #expect(error?.description.contains("kept") == true || error?.description.contains("cached") == true)
        }
        let retried = await events.collect(3) { if case .retried = $0 { true } else { false } }
        for case .retried(let records, _, _) in retried { #expect(records == 1) }
        #expect(try await client.clear() == 1)
    }

    @Test(arguments: ClientKind.allCases, [400, 403, 413, 502, 503])
    func `a proxy's error page is reported and costs no record, however often a client flushes`(
        kind: ClientKind,
        status: Int
    ) async throws {
        let server = try LocalServer { _, _ in .html(status, "<h1>Blocked by the proxy</h1>") }
        let client = try TestClient(kind, to: server.url) { $0.maxRetries = 0 }
        let events = client.events()
        for text in ["1", "2", "3"] { try await client.record(text) }
        for _ in 0..<10 { #expect(try await client.flush().recordsFlushed == 0) }
        let retried = await events.collect(10) { if case .retried = $0 { true } else { false } }
        for case .retried(_, _, let reason) in retried { #expect(reason.contains("Blocked by the proxy")) }
        #expect(try await client.clear() == 3)
    }
}
