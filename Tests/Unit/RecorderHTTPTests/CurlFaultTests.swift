import RecorderHTTP
import RecorderTestSupport
import Testing

/// Failures for misbehaving servers.
@Suite(.timeLimit(.minutes(10))) struct CurlFaultTests {
    let transport = CurlTransport(certificateAuthorities: nil)
    let short = HTTPTimeouts(connect: .seconds(5), stall: .milliseconds(200), total: .seconds(20))

    @Test func `a port without a listener cannot be connected to`() async throws {
        let socket = try LocalSocket.loopback()
        let failure = await failure(of: HTTPRequest(url: "http://127.0.0.1:\(socket.port)"))
        #expect(failure?.kind == .cannotConnect)
        #expect(failure?.detail.contains("127.0.0.1:\(socket.port)") == true)
    }

    @Test func `a name that does not resolve has its own kind`() async throws {
        // A label of more than 63 letters is invalid, so no DNS server is asked.
        let name = String(repeating: "x", count: 64) + ".invalid"
        #expect(await failure(of: HTTPRequest(url: "http://\(name)/"))?.kind == .nameNotResolved)
    }

    @Test(arguments: [Reply.dropConnection, .reset, .truncated(status: 200, body: [1, 2, 3, 4], after: 2)])
    func `an incomplete response is a lost connection`(reply: Reply) async throws {
        let server = try LocalServer { _, _ in reply }
        #expect(await failure(of: HTTPRequest(url: server.url, body: [1]))?.kind == .connectionLost)
    }

    @Test func `a reset in the middle of an upload is a lost connection`() async throws {
        let server = try LocalServer(uploads: .reset(after: 64 << 10)) { _, _ in .json(200, "{}") }
        let body = [UInt8](repeating: 0, count: 8 << 20)
        #expect(await failure(of: HTTPRequest(url: server.url, body: body))?.kind == .connectionLost)
    }

    @Test func `a reset in the middle of a TLS handshake is a lost connection`() async throws {
        let server = try LocalServer { _, _ in .json(200, "{}") }
        let url = server.url.replacing("http:", with: "https:")
        let failure = await failure(of: HTTPRequest(url: url))
        #expect(failure?.kind == .connectionLost, "\(failure as Any)")
    }

    @Test func `a response that is not HTTP is unreadable`() async throws {
        let server = try LocalServer { _, _ in .raw(Array("220 mail.example ESMTP\r\n".utf8)) }
        #expect(await failure(of: HTTPRequest(url: server.url))?.kind == .unreadableResponse)
    }

    @Test func `an endless body ends at the limit`() async throws {
        let server = try LocalServer { _, _ in .endless(status: 200) }
        let failure = await failure(of: HTTPRequest(url: server.url))
        #expect(failure?.kind == .responseTooLarge)
        #expect(failure?.detail.contains("4194304") == true)
    }

    @Test func `endless headers are too large or unreadable`() async throws {
        let line = Array("X-Filler: \(String(repeating: "x", count: 1000))\r\n".utf8)
        let flood = Array("HTTP/1.1 200 OK\r\n".utf8) + (0..<5000).flatMap { _ in line }
        let giant = Array("HTTP/1.1 200 OK\r\nX: ".utf8) + [UInt8](repeating: 120, count: 5_000_000)
        let server = try LocalServer { _, index in .raw(index == 0 ? flood : giant) }
        #expect(await failure(of: HTTPRequest(url: server.url))?.kind == .responseTooLarge)
        let second = await failure(of: HTTPRequest(url: server.url))?.kind
        #expect(second == .unreadableResponse || second == .responseTooLarge)
    }

    @Test func `a silent server times out after the stall time`() async throws {
        let server = try LocalServer { _, _ in .stall }
        let start = ContinuousClock.now
        #expect(await failure(of: HTTPRequest(url: server.url, timeouts: short))?.kind == .timedOut)
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }

    @Test func `a slow response that makes progress does not stall`() async throws {
        let body = Array("slow but steady".utf8)
        // The whole body takes longer than the stall time, each pause a tenth of it.
        let server = try LocalServer { _, _ in .trickle(status: 200, body: body, every: .milliseconds(300)) }
        let timeouts = HTTPTimeouts(stall: .seconds(3))
        let response = try await transport.send(HTTPRequest(url: server.url, timeouts: timeouts))
        #expect(response.body == body)
    }

    @Test func `a slow upload that the other side still reads does not stall`() async throws {
        let server = try LocalServer(uploads: .slow(pause: .milliseconds(50))) { _, _ in .json(200, "{}") }
        // The connection is used again.
        _ = try await transport.send(HTTPRequest(url: server.url))
        // Into the sockets' buffers it fits at once; reading it takes longer than the stall time, each pause a twentieth of that.
        let body = [UInt8](repeating: 1, count: 2_500_000)
        let request = HTTPRequest(
            method: .post,
            url: server.url,
            body: body,
            timeouts: HTTPTimeouts(stall: .seconds(1))
        )
        #expect(try await transport.send(request).status == 200)
        #expect(server.connectionCount == 1)
    }

    @Test func `a slow response ends after the total time, even with steady progress`() async throws {
        let body = [UInt8](repeating: 1, count: 10_000)
        let server = try LocalServer { _, _ in .trickle(status: 200, body: body, every: .milliseconds(20)) }
        let timeouts = HTTPTimeouts(stall: .seconds(10), total: .milliseconds(300))
        #expect(await failure(of: HTTPRequest(url: server.url, timeouts: timeouts))?.kind == .timedOut)
    }

    @Test func `a response below the minimum throughput ends, though no byte takes long`() async throws {
        let body = [UInt8](repeating: 1, count: 10_000)
        let server = try LocalServer { _, _ in .trickle(status: 200, body: body, every: .milliseconds(50)) }
        let timeouts = HTTPTimeouts(stall: .milliseconds(500), minimumBytesPerSecond: 1000)
        let failure = await failure(of: HTTPRequest(url: server.url, timeouts: timeouts))
        #expect(failure?.kind == .timedOut)
        #expect(failure?.detail.contains("the limit is 1000 bytes a second") == true, "\(failure as Any)")
    }

    @Test func `the default limit is minutes, or the time of the upload on a slow link`() {
        #expect(HTTPTimeouts.standardTotal(uploading: 0) == .seconds(600))
        #expect(HTTPTimeouts.standardTotal(uploading: 700_000) == .seconds(600))
        #expect(HTTPTimeouts.standardTotal(uploading: 5_600_000) == .seconds(1367))
    }

    @Test func `cancelling a task ends its request immediately, and others continue`() async throws {
        let gate = Gate()
        let server = try LocalServer { request, _ in
            guard request.path == "/good" else { return .stall }
            gate.wait()
            return .json(200, "{}")
        }
        async let other = transport.send(HTTPRequest(url: server.url + "/good"))
        let unlimited = HTTPTimeouts(stall: .seconds(3_600))
        let waiting = Task { await failure(of: HTTPRequest(url: server.url + "/stalled", timeouts: unlimited)) }
        await server.received(2)
        let start = ContinuousClock.now
        waiting.cancel()
        #expect(await waiting.value?.kind == .cancelled)
        // Long enough for a busy machine, but far below the stall time.
        #expect(ContinuousClock.now - start < .seconds(400))
        gate.open()
        #expect(try await other.status == 200)
    }

    @Test func `a task that is already cancelled sends nothing`() async throws {
        let server = try LocalServer { _, _ in .json(200, "{}") }
        let task = Task { () -> HTTPFailure? in
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure(of: HTTPRequest(url: server.url))
        }
        #expect(await task.value?.kind == .cancelled)
        #expect(server.requests.isEmpty)
    }

    private func failure(of request: HTTPRequest) async -> HTTPFailure? {
        await RecorderTestSupport.failure { try await transport.send(request) } as? HTTPFailure
    }
}
