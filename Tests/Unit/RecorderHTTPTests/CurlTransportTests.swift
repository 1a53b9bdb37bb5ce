import RecorderHTTP
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CurlTransportTests {
    let transport = CurlTransport(certificateAuthorities: nil)

    @Test func `method, headers and body are sent unchanged`() async throws {
        let server = try LocalServer { _, _ in .json(200, "{}") }
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let headers = [HTTPHeader("X-One", "1"), HTTPHeader("X-Empty", ""), HTTPHeader("Host", "kinesis.example")]
        let request = HTTPRequest(url: server.url + "/path", headers: headers, body: body)
        let response = try await transport.send(request)

        let received = try #require(server.requests.first)
        #expect(response.status == 200)
        #expect(received.method == "POST")
        #expect(received.path == "/path")
        #expect(received.body == body)
        #expect(received.header("x-one") == "1")
        #expect(received.header("x-empty") == "")
        #expect(received.header("host") == "kinesis.example")
        #expect(received.header("Content-Length") == "3000000")
        #expect(received.header("Expect") == nil)
    }

    @Test(arguments: [HTTPRequest.Method.get, .post, .put])
    func `a request without a body is a request of its method`(method: HTTPRequest.Method) async throws {
        let server = try LocalServer { _, _ in .json(200, "{}") }
        _ = try await transport.send(HTTPRequest(method: method, url: server.url))
        #expect(server.requests.map(\.method) == [method.rawValue])
        #expect(server.requests[0].body.isEmpty)
    }

    @Test func `every status is a response, with its headers and its body`() async throws {
        let server = try LocalServer { _, _ in .json(503, "busy", headers: [HTTPHeader("X-Amzn-RequestId", " abc ")]) }
        let response = try await transport.send(HTTPRequest(url: server.url))
        #expect(response.status == 503)
        #expect(response.header("x-amzn-requestid") == "abc")
        #expect(response.body == Array("busy".utf8))
    }

    @Test func `the headers of interim responses are dropped`() async throws {
        let bytes = "HTTP/1.1 103 Early\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nX-Late: 2\r\nContent-Length: 0\r\n\r\n"
        let server = try LocalServer { _, _ in .raw(Array(bytes.utf8)) }
        let response = try await transport.send(HTTPRequest(url: server.url))
        #expect(response.header("X-Early") == nil)
        #expect(response.header("X-Late") == "2")
    }

    @Test func `requests in a row share one connection`() async throws {
        let server = try LocalServer { _, _ in .json(200, "{}") }
        for _ in 0..<20 { _ = try await transport.send(HTTPRequest(url: server.url, body: [1, 2, 3])) }
        #expect(server.requests.count == 20)
        #expect(server.connectionCount == 1)
    }

    @Test func `requests run concurrently`() async throws {
        let gate = Gate()
        let server = try LocalServer { _, _ in
            gate.wait()
            return .json(200, "{}")
        }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await transport.send(HTTPRequest(url: server.url)).status } }
            await server.received(8)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 8))
    }

    @Test func `a reused connection that the server has closed is replaced, and the whole body is sent`() async throws {
        let closing = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        let server = try LocalServer { _, _ in .raw(closing) }
        let body = [UInt8](repeating: 7, count: 200_000)
        for _ in 0..<5 { _ = try await transport.send(HTTPRequest(url: server.url, body: body)) }
        #expect(server.requests.map(\.body) == Array(repeating: body, count: 5))
    }

    @Test func `a redirect is an answer and is not followed`() async throws {
        let elsewhere = try LocalServer { _, _ in .json(200, "{}") }
        let target = elsewhere.url
        let server = try LocalServer { _, _ in .json(307, "", headers: [HTTPHeader("Location", target)]) }
        let response = try await transport.send(HTTPRequest(url: server.url, headers: [HTTPHeader("X-Secret", "s")]))
        #expect(response.status == 307)
        #expect(elsewhere.connectionCount == 0)
    }

    @Test func `a response of exactly the maximum size is complete`() async throws {
        let body = [UInt8](repeating: 9, count: 5000)
        let server = try LocalServer { _, _ in .answer(status: 200, headers: [], body: body) }
        var request = HTTPRequest(url: server.url)
        request.maximumResponseBytes = 5000
        #expect(try await transport.send(request).body == body)
        request.maximumResponseBytes = 4999
        await #expect(throws: HTTPFailure.self) { try await transport.send(request) }
    }

    @Test func `a header value with a line break is refused`() async throws {
        let server = try LocalServer { _, _ in .json(200, "{}") }
        let failure = await failure(of: HTTPRequest(url: server.url, headers: [HTTPHeader("X-A", "1\r\nX-B: canary")]))
        #expect(failure?.kind == .other)
        #expect(failure?.detail.contains("X-A") == true)
        #expect(failure?.detail.contains("canary") == false)
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: ["", "kinesis", "file:///etc/hostname", "ftp://127.0.0.1/", "http://", "http://a b/"])
    func `an invalid URL is refused`(url: String) async {
        #expect(await failure(of: HTTPRequest(url: url))?.kind == .invalidURL)
    }

    @Test func `neither headers nor bodies show in descriptions`() {
        let headers = [HTTPHeader("Authorization", "canary")]
        let request = HTTPRequest(url: "http://a", headers: headers, body: Array("canary".utf8))
        let response = HTTPResponse(status: 200, headers: headers, body: Array("canary".utf8))
        var text = "\(request) \(response) \(String(reflecting: request)) \(String(reflecting: response))"
        dump(request, to: &text)
        dump(response, to: &text)
        #expect(!text.contains("canary"))
    }

    private func failure(of request: HTTPRequest) async -> HTTPFailure? {
        await RecorderTestSupport.failure { try await transport.send(request) } as? HTTPFailure
    }
}
