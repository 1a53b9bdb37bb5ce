import AmplifyRecordCache
import RecorderTestSupport
import Testing

/// Answers that say nothing of records, and pages of proxies: told by `flush()` or `events()`, and never counted.
@Suite(.timeLimit(.minutes(10))) struct UnprovenAnswerTests {
    @Test(arguments: ClientKind.allCases)
    func `fewer entries than records, for ever, is an error of each flush, and the other streams are sent`(
        side: ClientKind
    ) async throws {
        let short = side == .kinesis ? "Records" : "RequestResponses"
        let proof = side == .kinesis ? "SequenceNumber" : "RecordId"
        let server = try LocalServer { request, _ in
            let put = Put(request)
            guard put.stream == "short" else { return put.taken() }
            return .json(200, #"{"\#(short)":[{"\#(proof)":"1"},{"\#(proof)":"2"}]}"#)
        }
        let client = try TestClient(side, to: server.url) { $0.maxRetries = 0 }
        let events = client.events()
        for text in ["1", "2", "3"] { try await client.record(text, to: "short") }
        for round in 0..<10 {
            try await client.record("\(round)", to: "fine")
            let trouble = await Trouble.of { try await client.flush() }
            #expect(trouble?.kind == .unknown && trouble?.underlying != nil)
            for word in ["short", "2 of 3", "no attempt"] {
                #expect(trouble?.description.contains(word) == true, "\(trouble?.description ?? "")")
            }
        }
        #expect(server.requests.filter { Put($0).stream == "fine" }.map { Put($0).texts } == (0..<10).map { ["\($0)"] })
        let told = await events.collect(10) { if case .retried = $0 { true } else { false } }
        for case .retried(let records, let stream, let reason) in told {
            #expect(records == 3 && stream == "short" && reason.contains("2 of 3"))
        }
        #expect(try await client.clear() == 3)
    }

    @Test(arguments: ClientKind.allCases, ["{}", "null", #"{"ErrorCode":7}"#])
    func `an entry that proves nothing is an error, its neighbours are delivered`(
        side: ClientKind,
        entry: String
    ) async throws {
        let field = side == .kinesis ? "Records" : "RequestResponses"
        let proof = side == .kinesis ? "SequenceNumber" : "RecordId"
        let server = try LocalServer { request, _ in
            let entries = Put(request).texts.map { $0 == "odd" ? entry : #"{"\#(proof)":"1"}"# }
            return .json(200, #"{"\#(field)":[\#(entries.joined(separator: ","))]}"#)
        }
        let client = try TestClient(side, to: server.url) { $0.maxRetries = 0 }
        let events = client.events()
        try await client.record("odd")
        for _ in 0..<3 {
            try await client.record("fine")
            let trouble = await Trouble.of { try await client.flush() }
            #expect(trouble?.description.contains("kept") == true || trouble?.description.contains("cached") == true)
        }
        let told = await events.collect(3) { if case .retried = $0 { true } else { false } }
        for case .retried(let records, _, _) in told { #expect(records == 1) }
        #expect(try await client.clear() == 1)
    }

    @Test(arguments: ClientKind.allCases, [400, 403, 413, 502, 503])
    func `a proxy's page costs no record, however often a client flushes, and is told`(
        side: ClientKind,
        status: Int
    ) async throws {
        let server = try LocalServer { _, _ in .html(status, "<h1>Blocked by the proxy</h1>") }
        let client = try TestClient(side, to: server.url) { $0.maxRetries = 0 }
        let events = client.events()
        for text in ["1", "2", "3"] { try await client.record(text) }
        for _ in 0..<10 { #expect(try await client.flush().recordsFlushed == 0) }
        let told = await events.collect(10) { if case .retried = $0 { true } else { false } }
        for case .retried(_, _, let reason) in told { #expect(reason.contains("Blocked by the proxy")) }
        #expect(try await client.clear() == 3)
    }
}
