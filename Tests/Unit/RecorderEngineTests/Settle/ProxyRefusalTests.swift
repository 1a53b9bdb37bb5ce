import RecorderAWS
import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Testing

/// Refusals by a proxy, not the service: they lose no record, and do not block the later records of a stream.
@Suite(.timeLimit(.minutes(10))) struct ProxyRefusalTests {
    /// The answers of a proxy between the device and the service.
    enum Proxy: String, CaseIterable {
        case page413, page400, page403, empty413, object413, gateway413, codeWithoutRequestID, serverError

        var reply: Reply {
            let id = [HTTPHeader("x-amzn-RequestId", "6f0d")]
            return switch self {
            case .page413: .html(413, "<h1>Request Entity Too Large</h1>")
            case .page400: .html(400, "<h1>Bad Request</h1>")
            case .page403: .html(403, "<h1>Blocked</h1>")
            case .empty413: .html(413, "")
            case .object413: .json(413, #"{"message":"Request Too Long"}"#)
            case .gateway413:
                .json(
                    413,
                    #"{"message":"Request Too Long"}"#,
                    headers: id + [HTTPHeader("x-amzn-ErrorType", "RequestTooLargeException")]
                )
            case .codeWithoutRequestID: .json(400, #"{"__type":"ValidationException","message":"no"}"#)
            case .serverError:
                .json(500, #"{"__type":"ValidationException","message":"no"}"#, headers: id)
            }
        }
    }

    @Test(arguments: [StreamServiceDescription.kinesis, .firehose], Proxy.allCases)
    func `a proxy that refuses everything causes no loss, however often the device submits`(
        service: StreamServiceDescription,
        proxy: Proxy
    ) async throws {
        let server = try LocalServer { _, _ in proxy.reply }
        let harness = try PipelineHarness(service, to: server)
        try await harness.save("only", to: "alone")
        for round in 0..<10 {
            try await harness.save("\(round)")
            let before = server.requests.count
            let report = try await harness.flush()
            #expect(report.delivered == 0 && report.discarded == 0)
            #expect(Set(report.failures.map(\.stream.rawValue)) == ["alone", "stream"])
            #expect(server.requests.count - before <= 2 * 12)
        }
        #expect(try harness.records() == 11)
        #expect(try harness.storedFailures().allSatisfy { $0 == 0 })
        #expect(harness.events.discards.isEmpty)

        let accepted = Recorded<[String]>()
        let open = try LocalServer { request, index in
            let seen = ParsedPutRequest(request)
            if seen.stream == "stream" { accepted.append(seen.texts) }
            return PutCall(service: service, index: index, texts: seen.texts).accepts()
        }
        let later = try PipelineHarness(service, to: open, in: harness.directory)
        let report = try await later.flush()
        #expect(report.delivered == 11 && report.failures.isEmpty)
        #expect(accepted.all.flatMap { $0 } == (0..<10).map(String.init))
    }

    @Test(arguments: [StreamServiceDescription.kinesis, .firehose], [Proxy.page413, .object413, .gateway413])
    func `a record that a proxy refuses is kept and reported, and all others are sent, in each submit`(
        service: StreamServiceDescription,
        proxy: Proxy
    ) async throws {
        let accepted = Recorded<[String]>()
        let server = try LocalServer { request, index in
            let texts = ParsedPutRequest(request).texts
            guard !texts.contains("250") else { return proxy.reply }
            accepted.append(texts)
            return PutCall(service: service, index: index, texts: texts).accepts()
        }
        let harness = try PipelineHarness(service, to: server)
        let all = (0..<500).map(String.init)
        try await harness.saveAll(all)
        for round in 0..<6 {
            let before = server.requests.count
            let report = try await harness.flush()
            #expect(report.delivered == (round == 0 ? 499 : 2) && report.discarded == 0)
            #expect(report.failures.map(\.stream.rawValue) == ["stream"])
            guard case .service(let failure)? = report.failures.first?.error else { continue }
            #expect(failure.kind == .invalidRequest && failure.status == 413)
            #expect(server.requests.count - before <= (round == 0 ? 20 : 4))
            #expect(try harness.storedTexts() == ["250"])
            #expect(try harness.storedFailures() == [0])
            try await harness.saveAll(["a\(round)", "b\(round)"])
        }
        #expect(Array(accepted.all.flatMap { $0 }.prefix(499)) == all.filter { $0 != "250" })
        #expect(harness.events.discards.isEmpty)
    }

    /// A proxy that accepts requests of up to `limit` bytes.
    private func proxy(limit: Int) throws -> LocalServer {
        try LocalServer { request, _ in
            request.body.count > limit ? Proxy.page413.reply : .kinesis(request)
        }
    }

    @Test func `many records too large for a proxy take few requests, and the others are all sent`() async throws {
        let server = try proxy(limit: 60_000)
        let harness = try PipelineHarness(to: server)
        let large = String(repeating: "x", count: 60_000)
        let texts = (0..<60).map { $0 % 10 == 3 ? "\($0) \(large)" : "\($0)" }
        try await harness.saveAll(texts)
        let report = try await harness.flush()
        #expect(report.delivered == 54 && report.discarded == 0 && report.failures.count == 1)
        #expect(server.requests.count <= 16)
        #expect(try harness.storedTexts() == texts.filter { $0.count > 10 })
        try await harness.saveAll(["60", "61"])
        let again = try await harness.flush()
        #expect(again.delivered == 2 && again.failures.count == 1)
        #expect(server.requests.count <= 28)
    }

    @Test func `records too large for a proxy, in batches of their own, do not block later records`() async throws {
        let server = try proxy(limit: 20_000)
        let harness = try PipelineHarness(to: server) { $0.batchByteLimit = 70_000 }
        let large = (0..<6).map { String(repeating: "x", count: 30_000 - $0) }
        try await harness.saveAll(large + (0..<5).map(String.init))
        for _ in 0..<3 {
            let report = try await harness.flush()
            #expect(report.discarded == 0 && report.failures.count == 1)
            #expect(try harness.storedTexts() == large)
        }
        #expect(server.requests.count <= 3 * 12)
    }
}
