import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

/// What a call does when it fails: how often, how long, and when not at all.
@Suite(.timeLimit(.minutes(10))) struct CallRetryTests {
    @Test(arguments: [0, 1, 3, 5])
    func `service trouble is tried again as often as allowed`(retries: Int) async throws {
        let bench = try CallBench(maximumRetries: retries) { _, _ in .error(500, "InternalFailure") }
        let failure = await bench.failure()
        #expect(failure?.kind == .transient)
        #expect(failure?.status == 500)
        #expect(bench.server.requests.count == retries + 1)
        #expect(bench.pauses.all == [50, 100, 200, 400, 800].prefix(retries).map { .milliseconds($0) })
    }

    @Test func `throttling is tried again after longer delays`() async throws {
        let bench = try CallBench { _, _ in .error(400, "ProvisionedThroughputExceededException") }
        #expect(await bench.failure()?.kind == .throttled)
        #expect(bench.server.requests.count == 4)
        #expect(bench.pauses.all == [.seconds(1), .seconds(2), .seconds(4)])
    }

    @Test(arguments: [(.seconds(-1), .zero), (.seconds(Int64.max), .seconds(86_400))] as [(Duration, Duration)])
    func `a delay of the user's is between none and a day`(given: Duration, taken: Duration) async throws {
        let bench = try CallBench(backoff: { _ in given }) { _, index in .json(index == 0 ? 503 : 200, "{}") }
        #expect(await bench.failure() == nil)
        #expect(bench.pauses.all == [taken])
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func `a clock that shows no time signs for some time all the same`(seconds: Double) async throws {
        let bench = try CallBench(now: { Date(timeIntervalSince1970: seconds) }) { _, _ in .json(200, "{}") }
        #expect(await bench.failure() == nil)
    }

    @Test func `the service's wish to wait is followed`() async throws {
        let hint = [HTTPHeader("x-amz-retry-after", "3000")]
        let bench = try CallBench { _, index in .json(index == 0 ? 503 : 200, "{}", headers: hint) }
        #expect(await bench.failure() == nil)
        #expect(bench.pauses.all == [.seconds(3)])
    }

    @Test func `the first success ends the call`() async throws {
        let bench = try CallBench { _, index in index < 2 ? .error(503, "ServiceUnavailable") : .json(200, "{}") }
        #expect(await bench.failure() == nil)
        #expect(bench.server.requests.count == 3)
    }

    @Test(arguments: [Reply.dropConnection, .reset, .truncated(status: 200, body: [1, 2], after: 1)])
    func `a lost connection is tried again twice`(reply: Reply) async throws {
        let bench = try CallBench { _, _ in reply }
        guard case .transport(let cause) = await bench.failure()?.kind else {
            Issue.record("not a transport failure")
            return
        }
        #expect(cause.kind == .connectionLost)
        #expect(bench.server.requests.count == 3)
        #expect(bench.pauses.all == [.milliseconds(50), .milliseconds(100)])
    }

    @Test func `a lost connection is tried again no more often than allowed`() async throws {
        let bench = try CallBench(maximumRetries: 1) { _, _ in .reset }
        #expect(await bench.failure() != nil)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `silence is tried again twice`() async throws {
        let bench = try CallBench(timeouts: HTTPTimeouts(stall: .seconds(2))) { _, _ in .stall }
        guard case .transport(let cause) = await bench.failure()?.kind else {
            Issue.record("not a transport failure")
            return
        }
        #expect(cause.kind == .timedOut)
        await bench.server.received(3)
        #expect(bench.server.requests.count == 3)
    }

    @Test func `a refused connection is not tried again`() async throws {
        let socket = try LocalSocket.loopback()
        let bench = try CallBench(url: "http://127.0.0.1:\(socket.port)") { _, _ in .json(200, "{}") }
        guard case .transport(let cause) = await bench.failure()?.kind else {
            Issue.record("not a transport failure")
            return
        }
        #expect(cause.kind == .cannotConnect)
        #expect(bench.pauses.all.isEmpty)
    }

    @Test func `an untrusted certificate is not tried again`() async throws {
        let server = try TLSServer()
        let bench = try CallBench(url: server.url) { _, _ in .json(200, "{}") }
        guard case .transport(let cause) = await bench.failure()?.kind else {
            Issue.record("not a transport failure")
            return
        }
        #expect(cause.kind == .certificateUntrusted)
        #expect(bench.pauses.all.isEmpty)
    }

    @Test func `a service that stays down costs less and less: 35 retries in all`() async throws {
        let bench = try CallBench { _, _ in .error(500, "InternalFailure") }
        for _ in 0..<20 { _ = await bench.failure() }
        #expect(bench.pauses.all.count == 35)
        #expect(bench.server.requests.count == 55)
    }

    @Test func `a retry that the caller asks for is paid from the same quota`() async throws {
        let bench = try CallBench { _, _ in .json(200, "{}") }
        var paid = 0
        while true {
            var attempts = bench.caller.attempts()
            guard try await bench.caller.waitToRetry(.asksAgain(.throttling), &attempts) else { break }
            paid += 1
        }
        #expect(paid == 100)
        #expect(bench.pauses.all == Array(repeating: .seconds(1), count: 100))
        #expect(await bench.failure() == nil)
    }

    @Test func `every attempt is signed anew`() async throws {
        let clock = Recorded<Int>()
        let now: @Sendable () -> Date = {
            clock.append(0)
            return Date(timeIntervalSince1970: 1_800_000_000 + 60 * Double(clock.all.count))
        }
        let bench = try CallBench(now: now) { _, _ in .error(500, "InternalFailure") }
        _ = await bench.failure()
        #expect(Set(bench.server.requests.map { $0.header("X-Amz-Date") }).count == 4)
        #expect(Set(bench.server.requests.map { $0.header("Authorization") }).count == 4)
    }

    @Test func `an expired token is renewed once, and the call goes on`() async throws {
        let credentials = RotatingCredentials()
        let bench = try CallBench(credentials: credentials) { request, _ in
            request.header("X-Amz-Security-Token") == "token1" ? .error(400, "ExpiredTokenException") : .json(200, "{}")
        }
        #expect(await bench.failure() == nil)
        #expect(credentials.renewals == 1)
        #expect(bench.server.requests.map { $0.header("X-Amz-Security-Token") } == ["token1", "token2"])
        #expect(bench.pauses.all.isEmpty)
    }

    @Test func `calls whose keys are refused together renew them once`() async throws {
        let credentials = RotatingCredentials(crowd: 4)
        let bench = try CallBench(credentials: credentials) { request, _ in
            request.header("X-Amz-Security-Token") == "token1" ? .error(400, "ExpiredTokenException") : .json(200, "{}")
        }
        await withTaskGroup(of: ServiceFailure?.self) { group in
            for _ in 0..<4 { group.addTask { await bench.failure() } }
            for await failure in group { #expect(failure == nil) }
        }
        #expect(credentials.renewals == 1)
    }

    @Test func `tokens that are refused again end the call`() async throws {
        let credentials = RotatingCredentials()
        let bench = try CallBench(credentials: credentials) { _, _ in .error(400, "UnrecognizedClientException") }
        #expect(await bench.failure()?.kind == .expiredCredentials)
        #expect(credentials.renewals == 1)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `keys that cannot change are not sent twice`() async throws {
        let bench = try CallBench { _, _ in .error(400, "InvalidClientTokenId") }
        #expect(await bench.failure()?.kind == .expiredCredentials)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `a wrong clock is set by the service's, once and for later calls`() async throws {
        let serverDate = [HTTPHeader("Date", "Sun, 30 Aug 2015 12:36:00 GMT")]
        let bench = try CallBench(now: { Date(timeIntervalSince1970: 0) }) { request, _ in
            guard request.header("X-Amz-Date") != "20150830T123600Z" else { return .json(200, "{}") }
            return .json(400, #"{"__type":"InvalidSignatureException"}"#, headers: serverDate)
        }
        #expect(await bench.failure() == nil)
        #expect(await bench.failure() == nil)
        let dates = bench.server.requests.map { $0.header("X-Amz-Date") }
        #expect(dates == ["19700101T000000Z", "20150830T123600Z", "20150830T123600Z"])
        #expect(bench.pauses.all.isEmpty)
    }

    @Test func `a signature refused though the clocks agree is final`() async throws {
        let serverDate = [HTTPHeader("Date", "Sun, 30 Aug 2015 12:36:00 GMT")]
        let bench = try CallBench(now: { Date(timeIntervalSince1970: 1_440_938_200) }) { _, _ in
            .json(403, #"{"__type":"SignatureDoesNotMatch"}"#, headers: serverDate)
        }
        #expect(await bench.failure()?.kind == .clockSkew)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `a signature refused again after the correction is final`() async throws {
        let serverDate = [HTTPHeader("Date", "Sun, 30 Aug 2015 12:36:00 GMT")]
        let bench = try CallBench { _, _ in .json(403, #"{"__type":"RequestTimeTooSkewed"}"#, headers: serverDate) }
        #expect(await bench.failure()?.kind == .clockSkew)
        #expect(bench.server.requests.count == 2)
    }
}
